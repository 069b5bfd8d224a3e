"""The book of money: wallets, stakes, settlements."""
