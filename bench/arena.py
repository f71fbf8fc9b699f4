#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the arenas of plans, and the allocator alone.

usage: arena.py REPRISE [--shared DIR] [--only plans,minimalloc,scale]
                [--budget SIZE] [--time-limit S] [--match TEXT]

plans       the size of the arena beside the bytes that are live, for training
            graphs at 50% of their memory
minimalloc  its eleven challenging instances, beside its listed seconds
scale       100,000 buffers of several kinds

Every schedule is verified by `reprise check` and, where it is in DIR/tools, by
the referee; every table of buffers here, by a sweep. `live` is the peak without
the constants. Exit 1 where less than 90% of the arenas are within 1.01 times
that, one is beyond 1.05 times, an instance is not solved, all take longer than
listed, or 100,000 buffers take 10 s. --match limits the graphs to those with
TEXT in their names. DIR is ../shared unless given.
"""

import argparse
import csv
import glob
import heapq
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from bisect import bisect_left, insort


def run(call):
    """The finished process, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, (after.ru_utime + after.ru_stime - before.ru_utime
                  - before.ru_stime)


def verify(path, rows):
    """Exits unless the offsets in the file are free of overlaps."""
    with open(path, encoding="utf-8") as file:
        found = [tuple(int(row[key]) for key in
                       ("lower", "upper", "size", "offset"))
                 for row in csv.DictReader(file)]
    if [f[:3] for f in found] != rows:
        sys.exit(f"{path}: not the buffers that were asked for")
    live, ends = [], []
    for lower, upper, size, offset in sorted(found):
        while ends and ends[0][0] <= lower:
            del live[bisect_left(live, heapq.heappop(ends)[1])]
        if lower == upper or size == 0:
            continue
        at = bisect_left(live, (offset, offset + size))
        for other in live[max(at - 1, 0):at + 1]:
            if other[0] < offset + size and offset < other[1]:
                sys.exit(f"{path}: overlap at {offset}")
        insort(live, (offset, offset + size))
        heapq.heappush(ends, (upper, (offset, offset + size)))


def plans(args, folder):
    """Arenas of training graphs; True where they are as small as promised."""
    referee = os.path.join(args.shared, "tools", "referee.py")
    target = os.path.join(folder, "schedule.json")
    ratios = []
    print(f"{'graph':26} {'live':>14} {'arena':>14} {'ratio':>8} "
          f"{'overhead':>9} {'seconds':>8}")
    files = [f for kind in ("train", "checkmate", "dtr") for f in
             sorted(glob.glob(os.path.join(args.shared, "graphs", kind, "*")))
             if args.match in f]
    for graph in files:
        name = os.path.basename(graph).removesuffix(".json")
        call = [args.reprise, "plan", graph, "-b", args.budget, "--arena",
                "-o", target, "--json"]
        if args.time_limit:
            call += ["--time-limit", args.time_limit]
        done, _ = run(call)
        if done.returncode == 1:
            print(f"{name:26} {'no plan':>14}", flush=True)
            continue
        if done.returncode != 0:
            sys.exit(f"{' '.join(call)}: {done.stderr}")
        judges = [[args.reprise, "check", graph, target]]
        if os.path.exists(referee):
            judges.append([sys.executable, referee, graph, target])
        for judge in judges:
            verdict, _ = run(judge)
            if verdict.returncode != 0:
                sys.exit(f"{' '.join(judge)}: {verdict.stdout}")
        summary = json.loads(done.stdout)
        arena = summary["arena"]
        ratio = arena["size"] / arena["live_memory"]
        ratios.append(ratio)
        print(f"{name:26} {arena['live_memory']:14d} {arena['size']:14d} "
              f"{ratio:8.5f} {summary['overhead']:9.3%} "
              f"{summary['seconds']:8.2f}", flush=True)
    close = sum(ratio <= 1.01 for ratio in ratios)
    print(f"{close} of {len(ratios)} within 1.01, largest {max(ratios):.5f}")
    return close >= 0.9 * len(ratios) and max(ratios) <= 1.05


def allocate(args, folder, rows, more):
    """(summary, CPU seconds) of the allocator alone."""
    source = os.path.join(folder, "buffers.csv")
    target = os.path.join(folder, "offsets.csv")
    with open(source, "w", encoding="utf-8") as file:
        file.write("id,lower,upper,size\n")
        for i, row in enumerate(rows):
            file.write(f"{i},{','.join(map(str, row))}\n")
    done, seconds = run([args.reprise, "alloc", source, "-o", target, "--json",
                         *more])
    if done.returncode == 0:
        verify(target, rows)
    elif done.returncode != 1:
        sys.exit(done.stderr)
    text = done.stdout if done.returncode == 0 else done.stderr
    return json.loads(text[:text.rindex("}") + 1].split("reprise:")[0]), seconds


def minimalloc(args, folder):
    """The challenging instances; True where all are solved in time."""
    where = os.path.join(args.shared, "peers", "minimalloc")
    with open(os.path.join(where, "figures.json"), encoding="utf-8") as file:
        listed = json.load(file)["instances"]
    print(f"{'instance':9} {'buffers':>8} {'size':>9} {'theirs, s':>10} "
          f"{'ours, s':>8}")
    theirs = ours = 0
    solved = True
    for name in sorted(listed):
        with open(os.path.join(where, f"{name}.1048576.csv"),
                  encoding="utf-8") as file:
            rows = [tuple(int(row[key]) for key in ("lower", "upper", "size"))
                    for row in csv.DictReader(file)]
        summary, seconds = allocate(args, folder, rows,
                                    ["--capacity", "1048576"])
        solved = solved and summary["feasible"]
        theirs += listed[name]["cpu_s_median"]
        ours += seconds
        print(f"{name:9} {len(rows):8d} {summary['size']:9d} "
              f"{listed[name]['cpu_s_median']:10.3f} {seconds:8.3f}",
              flush=True)
    print(f"total {theirs:.2f} s and {ours:.2f} s: {ours / theirs:.2f} times")
    return solved and ours <= theirs


def scale(args, folder):
    """100,000 buffers; True where each kind takes less than 10 s."""
    n = 100_000
    rng = random.Random(1)
    size = lambda: 64 * rng.randint(1, 1000)
    long_or_short = lambda: int(rng.expovariate(
        1 / (50 if rng.random() < 0.9 else 20_000))) + 1
    kinds = {
        "nested": [(i, 2 * n - i, size()) for i in range(n)],
        "forward and backward": [
            row for i in range(n // 2) for row in
            ((i, n - i, size()),
             (n - i - 1, n - i + 1 if i % 3 else n + 10, size()))],
        "short": [(t, t + rng.randint(1, 2000), size())
                  for t in (rng.randint(0, n) for _ in range(n))],
        "any": [(min(a, b), max(a, b) + 1, size()) for a, b in
                ((rng.randint(0, n), rng.randint(0, n)) for _ in range(n))],
        "short and long, odd sizes": [
            (t, t + long_or_short(), int(2 ** rng.uniform(6, 20)))
            for t in (rng.randint(0, n) for _ in range(n))]}
    print(f"{'100,000 buffers':26} {'live':>14} {'size':>14} {'ratio':>8} "
          f"{'seconds':>8}")
    fast = True
    for name, rows in kinds.items():
        summary, seconds = allocate(args, folder, rows, ["--effort", "2000"])
        fast = fast and seconds < 10
        print(f"{name:26} {summary['live_memory']:14d} {summary['size']:14d} "
              f"{summary['size'] / summary['live_memory']:8.5f} "
              f"{seconds:8.2f}", flush=True)
    return fast


def main():
    parser = argparse.ArgumentParser(description="Measures arenas.")
    parser.add_argument("reprise")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--only", default="plans,minimalloc,scale")
    parser.add_argument("--budget", default="50%")
    parser.add_argument("--time-limit")
    parser.add_argument("--match", default="")
    args = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for part in (minimalloc, scale, plans):
            if part.__name__ in args.only.split(","):
                good = part(args, folder) and good
                print()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
