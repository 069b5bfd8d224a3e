"""Which facts exist, where they are kept, and what they are called: all derived from the protos.

A message with the option `(paiju.bus.v1.event) = {stream: "ROUNDS", key: "game"}` is a fact of that stream; its subject
is `paiju.<service>.<name_in_snake_case>.<value of the key field>`.
"""
