# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command under test, for the comparisons beside this file."""

import json
import os
import subprocess
import sys
import time


class Used:
    """What a process took: wall and CPU seconds, peak memory in MiB."""

    def __init__(self, status, seconds, usage):
        self.status = status
        self.seconds = seconds
        self.cpu = usage.ru_utime + usage.ru_stime
        self.mib = usage.ru_maxrss / 1024


def measure(call, out=subprocess.DEVNULL):
    """Runs `call` with its output to `out` and its errors dropped."""
    start = time.monotonic()
    # Only wait4() tells the peak memory of this one process.
    with subprocess.Popen(call, stdout=out, stderr=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return Used(child.returncode, time.monotonic() - start, usage)


class Command:
    """The command under test, with a place for its schedules."""

    def __init__(self, path, referee, folder):
        self.path = path
        self.referee = referee
        self.folder = folder

    def plan(self, graph, budget, strategy="auto", extra=()):
        """(summary or None, seconds, MiB); exits on a schedule at fault."""
        return self.run(graph, ["-b", str(budget), "-s", strategy, *extra])

    def smallest(self, graph, extra=()):
        """The same for the smallest peak that is found."""
        return self.run(graph, ["--minimize", "memory", *extra])

    def run(self, graph, options):
        target = os.path.join(self.folder, "schedule.json")
        report = os.path.join(self.folder, "summary.json")
        call = [self.path, "plan", graph, "-o", target, "--json", *options]
        with open(report, "w", encoding="utf-8") as out:
            used = measure(call, out)
        if used.status == 1:
            return None, used.seconds, used.mib
        if used.status != 0:
            sys.exit(f"{' '.join(call)}: exit {used.status}")
        self.verify(graph, target)
        with open(report, encoding="utf-8") as file:
            return json.load(file), used.seconds, used.mib

    def verify(self, graph, schedule):
        """Exits unless all that judge schedules accept this one."""
        calls = [[self.path, "check", graph, schedule]]
        if os.path.exists(self.referee):
            calls.append([sys.executable, self.referee, graph, schedule])
        for call in calls:
            done = subprocess.run(call, capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                sys.exit(f"{' '.join(call)}: exit {done.returncode}: "
                         f"{done.stdout}{done.stderr}")
