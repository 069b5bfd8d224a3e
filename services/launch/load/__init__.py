"""`paiju load`: players over the real edge, an open arrival model, and a check of all that they are told."""
