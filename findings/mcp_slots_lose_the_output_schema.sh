#!/usr/bin/env bash
# mcp 2.3.0: a tool that returns a dataclass with `slots=True` has no output schema, and its answers have no
# structured content; the same dataclass without slots has both.
#
# Expected: both dataclasses describe the same fields.
# Seen: `_create_model_from_class` takes `getattr(cls, field)` as the default of a field. With slots that is the slot's
# member descriptor, of which no schema can be made, and the tool becomes an unstructured one without a warning.
#
#   plain: schema True, structured content True
#   slots: schema False, structured content False
#
# For Clerestory see clients/mcp/answers.py. Fails if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mcp==2.3.0
cat > "$folder/tools.py" <<'PY'
import asyncio
from dataclasses import dataclass

from mcp import Client
from mcp.server.mcpserver import MCPServer


@dataclass
class Plain:
    points: int


@dataclass(slots=True)
class Slots:
    points: int


def plain() -> Plain:
    return Plain(7)


def slots() -> Slots:
    return Slots(7)


async def main() -> None:
    server = MCPServer("example", log_level="ERROR")
    for tool in (plain, slots):
        server.add_tool(tool)
    async with Client(server) as client:
        for tool in (await client.list_tools()).tools:
            answer = await client.call_tool(tool.name, {})
            found = answer.structured_content is not None
            print(f"{tool.name}: schema {tool.output_schema is not None}, structured content {found}")


asyncio.run(main())
PY
"$folder/venv/bin/python" "$folder/tools.py" | tee "$folder/seen"
diff - "$folder/seen" <<'TXT'
plain: schema True, structured content True
slots: schema False, structured content False
TXT
