"""Tools for people who change the code: tables out of declarations, prose, stored games for tests."""
