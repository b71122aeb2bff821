#!/usr/bin/env python3
"""A driver for the smallest possible database: a JSON file, locked by each transaction from begin to end.

    serval run "exec:python3 examples/tiny_driver.py /tmp/tiny.json" -w mini -n 2000 --level serializable

With --no-lock transactions read and overwrite the file without a lock, so they lose each other's updates.
"""
import fcntl
import json
import os
import sys

path, locks = sys.argv[1], "--no-lock" not in sys.argv
lock = open(path + ".lock", "w", encoding="utf-8")
rows = {}  # What the open transaction sees: tags by key.


def load():
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(state):
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
        json.dump(state, file)
    os.replace(file.name, path)  # Atomic: readers see the old file or the new one.


def answer(ask):
    global rows
    do = ask["do"]
    if do == "create":
        save({str(key): 0 for table in ask["tables"] for key in range(table["rows"])})
    elif do == "begin":
        if locks:
            fcntl.flock(lock, fcntl.LOCK_EX)
        rows = load()
    elif do == "read":
        return {"rows": [[ask["key"], rows[str(ask["key"])]]]}
    elif do == "write":
        rows[str(ask["key"])] = ask["tag"]
    elif do in ("commit", "roll_back"):
        if do == "commit":
            save(rows)
        fcntl.flock(lock, fcntl.LOCK_UN)
        return {"outcome": "committed"} if do == "commit" else {"ok": True}
    elif do not in ("hello", "drop"):
        return {"error": "unsupported", "message": do}
    return {"ok": True}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
