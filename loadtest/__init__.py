"""Load tests: an open-loop generator to find saturation, locust users for a realistic mix, and a simulation."""
