"""Benches, and the plain yardsticks they and the tests compare with."""
