"""Who plays with whom: halls with queues, and friends' rooms."""
