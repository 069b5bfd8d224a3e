"""What playing earns besides coins: the daily sign-in, counts of play."""
