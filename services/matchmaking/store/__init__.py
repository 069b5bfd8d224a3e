"""Tickets, rooms and the tables made for them, in SQL: functions inside one transaction each."""
