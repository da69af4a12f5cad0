"""Load for a server: an open-loop generator that finds the knee, locust users for the real mix, and a simulation."""
