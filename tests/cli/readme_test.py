#!/usr/bin/env python3
"""Runs every ```console block of README.md and compares what it prints with what the README says.

    python3 tests/cli/readme_test.py PATH-TO-SERVAL PATH-TO-README

A block is a shell session: lines after "$ " are typed, the lines below are expected on standard output and error.
Costs (time and memory) differ from machine to machine and are not compared.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(readme):
    return re.findall(r"^```console\n(.*?)^```", readme, re.M | re.S)


def commands(block):
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def without_costs(text):
    lines = (re.sub(r"^(\s*cost\s+).*", r"\1…", line).rstrip() for line in text.splitlines())
    return "\n".join(lines).strip()


def session(block, serval, folder):
    """The transcript that a terminal would show."""
    script = "".join(f"echo {quoted('$ ' + command)}\n{command}\n" for command in commands(block))
    path = f"{pathlib.Path(serval).resolve().parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash"], input=script, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=folder, env={**os.environ, "PATH": path}, timeout=300, check=False)
    return done.stdout


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def main(serval, readme):
    found = blocks(pathlib.Path(readme).read_text())
    with tempfile.TemporaryDirectory() as folder:
        for block in found:
            shown = session(block, serval, folder)
            if without_costs(shown) != without_costs(block):
                print(f"README says:\n{block}\nserval says:\n{shown}")
                return 1
    print(f"{len(found)} sessions as shown")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
