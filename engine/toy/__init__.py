"""A tiny game that tests the contract: see RULES.md beside this file."""
