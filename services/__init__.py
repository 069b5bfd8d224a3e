"""The services of Paiju, what they share (`chassis`), and what starts them (`launch`)."""
