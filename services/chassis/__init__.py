"""What every service shares; it knows no service and no game.

A closed list: config, run, rpc, bus, outbox, db, health, log, metrics, clock, ids, errors (with its table of
reasons), auth, lease, limits.
"""
