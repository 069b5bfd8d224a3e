"""What is known about how people play; the judging comes later."""
