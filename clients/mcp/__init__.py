"""The MCP server: AI assistants host, teach and analyze games, with the knowledge of the seats that they play."""
