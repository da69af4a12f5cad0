"""Advice on positions: which searches are admitted, in which order threads run them, and what they may use."""
