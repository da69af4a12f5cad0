"""Measurements of the product, and generators of its data: `python -m tools.lab.NAME` in a checkout."""
