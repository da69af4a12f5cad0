"""Tools for developers: tables generated from declarations, prose, stored games for tests."""
