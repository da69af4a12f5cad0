"""Tools for developers: tables generated from declarations, stored games for tests."""
