"""A tiny game that keeps the contract honest: see RULES.md beside this file."""
