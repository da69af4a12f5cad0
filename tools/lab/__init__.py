"""Measurements of the product, and what makes its data: `python -m tools.lab.NAME` in a checkout."""
