"""The laboratory: what measures the product. Only `bench` is shipped; else it is `python -m lab.NAME` in a checkout."""
