"""A client in a process of its own, which asks for a hint that sharpens for a minute and says when a table comes.

`python -m tests.faults.caller TARGET` reads the position from standard input.
"""

import json
import sys

from clerestory.clients import Advisor

if __name__ == "__main__":
    with Advisor(sys.argv[1], retries=False) as advisor:
        for _ in advisor.analyze(json.load(sys.stdin), 60, every=0.02):
            print("table", flush=True)
