"""Limits that keep the ports usable under attack; docs/hardening.md lists what each stops, and its tests."""
