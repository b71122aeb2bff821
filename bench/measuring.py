"""Shared by the scripts of this folder: processor time of commands, the best of several rounds."""
import json
import os
import resource
import subprocess


def processor_seconds(command, expected=0):
    """Processor time (user and system) of a command that must exit with `expected`, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, env={**os.environ, "LC_ALL": "C"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == expected, (command, done.returncode, done.stdout[-2000:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure_levels(serval, path, levels, rounds, *flags):
    """The best processor time of `wc -w` and of a check at each level, in turns, and the reports."""
    commands = {"wc": ["wc", "-w", str(path)],
                **{level: [serval, "check", str(path), "--level", level, "--json", *flags] for level in levels}}
    best, output = {}, {}
    for _ in range(rounds):
        for name, command in commands.items():
            taken, output[name] = processor_seconds(command)
            best[name] = min(taken, best.get(name, taken))
    return best, {level: json.loads(output[level]) for level in levels}
