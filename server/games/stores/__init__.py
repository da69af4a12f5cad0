"""The stores of hosted games: SQLite for one server, PostgreSQL for several."""
