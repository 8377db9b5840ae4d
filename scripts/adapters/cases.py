"""Labeled cases of change (crates/eval/data/changes.jsonl and files in its format)."""

import json


def read_lines(paths):
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def turn_before(messages, place):
    same = place > 0 and messages[place - 1]["session"] == messages[place]["session"]
    return messages[place - 1]["text"] if same else ""


# A chain of changes: what stands between the first value and the last is no certain negative.
MANY_CHANGES = {"reversal", "chain", "increment", "count"}
