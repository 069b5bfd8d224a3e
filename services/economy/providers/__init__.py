"""Payment providers: the port, what webhooks are signed with, and the sandbox."""
