"""Looks again at what `diffsieve dataset cr-bench` says of a clone, with `git` alone and code of its own.

    crbench_blame.py CLONE DATASET [LINES]

For every case: each line that is recorded as removed by the fix is one that `git diff` shows as removed; `git blame -w -M`
of that line, from the parent of the fix, names the recorded commit, file and line, unless the case records commits that
were passed over; the change of that commit, found with `git log --ancestry-path --merges`, has the recorded base and head;
and every line of the bug is one that `git diff` shows as added there. Stops after LINES lines. Ends with 1 where anything
disagrees.
"""

import functools
import json
import re
import subprocess
import sys
from pathlib import Path

CLONE, DATASET = sys.argv[1], Path(sys.argv[2])
ENOUGH = int(sys.argv[3]) if len(sys.argv) > 3 else 10**9
NUMBERED = re.compile(r"^Merge (?:pull request|PR|pull) #?\d+\b|\(pull request #\d+\)", re.I)
REQUEST = re.compile(r"^See merge request \S*!\d+", re.M)
SQUASH = re.compile(r"\([#!]\d+\)")
LIVES_ON = re.compile(
    r"^Merge (?:remote-tracking )?(?:branch(?:es)?|tag) '(?:\w+/)?(?:main|master|trunk|dev|devel|develop|next|unstable|stable"
    r"|staging|integration|maint\S*|release\S*|v?\d[\w.-]*)'",
    re.I,
)


def git(*words):
    run = subprocess.run(["git", "-C", CLONE, *words], capture_output=True, check=True)
    return run.stdout.decode("utf-8", "replace")


def hunks(base, head, path=None):
    """(file before, file after, removed, added) of each hunk."""
    text = git("diff", "--no-ext-diff", "--no-textconv", "-U0", "-M", "--diff-algorithm=myers", base, head)
    old = new = None
    for line in text.split("\n"):
        if line.startswith("--- "):
            old = line[6:].rstrip("\t")
        elif line.startswith("+++ "):
            new = line[6:].rstrip("\t")
        elif line.startswith("@@ "):
            a, b, c, d = re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line).groups()
            yield old, new, range(int(a), int(a) + int(b or 1)), range(int(c), int(c) + int(d or 1))


@functools.cache
def blames(at, file):
    text = git("blame", "-s", "-l", "-f", "-n", "-w", "-M", "--abbrev=40", at, "--", file)
    return [re.match(r"\^?([0-9a-f]{39,40}) (.*?) +(\d+) +\d+\)", line) for line in text.split("\n")]


def blame(at, file, line):
    found = blames(at, file)[line - 1]
    return git("rev-parse", found[1]).strip(), found[2], int(found[3])


def parents(commit):
    return git("rev-list", "--parents", "-n1", commit).split()[1:]


def is_request(commit):
    subject, _, body = git("log", "-n1", "--format=%s%n%b", commit).partition("\n")
    merges = len(parents(commit)) > 1
    return bool(NUMBERED.search(subject) or REQUEST.search(body)) if merges else bool(SQUASH.search(subject))


def change(commit, tip):
    """The last commit of the change that brought a commit."""
    if len(parents(commit)) < 2 and is_request(commit):
        return commit
    first_parents = git("rev-list", "--first-parent", tip).split()
    while True:
        if commit in first_parents:
            return commit
        path = set(git("rev-list", "--ancestry-path", f"{commit}..{tip}").split())
        merge = [each for each in first_parents if each in path][-1]
        side = git("rev-list", f"{merge}^1..{merge}").split()
        if is_request(merge):
            return merge
        subject = git("log", "-n1", "--format=%s", merge).strip()
        if not LIVES_ON.search(subject) and not any(is_request(each) for each in side if each != merge):
            return merge
        tip = parents(merge)[1]
        if commit not in side:
            return commit
        inner = set(side)
        first_parents = [each for each in git("rev-list", "--first-parent", tip).split() if each in inner]
        if not first_parents or (commit not in first_parents and commit not in git("rev-list", tip).split()):
            return commit


def main():
    tip = json.loads((DATASET / "dataset.json").read_text())["built"]["source"]["to"]
    lines = same = passed = cases = 0
    faults = []
    for row in (DATASET / "cases.jsonl").read_text().splitlines():
        case = json.loads(row)
        if lines >= ENOUGH:
            break
        cases += 1
        facts, bug, source = case["facts"], case["bugs"][0], case["source"]["commits"]
        removed = {(old, line) for old, _, gone, _ in hunks(facts["fix"] + "^", facts["fix"]) for line in gone}
        heads = set()
        for line in facts["lines"]:
            lines += 1
            if (line["file"], line["line"]) not in removed:
                faults.append(f"{case['id']}: {line['file']}:{line['line']} is not removed by the fix")
            commit, file, original = blame(facts["fix"] + "^", line["file"], line["line"])
            if line["passed"]:
                passed += 1
                if commit != line["passed"][0]:
                    faults.append(f"{case['id']}: {line['passed'][0]} was passed over, git blames {commit}")
                commit = line["commit"]
            elif (commit, file, original) == (line["commit"], line["origin"], line["origin_line"]):
                same += 1
            else:
                faults.append(f"{case['id']}: git blames {commit} {file}:{original}, recorded is {line}")
            heads.add(commit)
        heads = {change(commit, tip) for commit in heads}
        if heads != {source["head"]}:
            faults.append(f"{case['id']}: the change is {sorted(heads)}, recorded is {source['head']}")
        if git("rev-parse", source["head"] + "^1").strip() != source["base"]:
            faults.append(f"{case['id']}: the base is not the first parent")
        added = {(new, line) for _, new, _, came in hunks(source["base"], source["head"]) for line in came}
        for line in range(bug["line"], bug["end_line"] + 1):
            if (bug["file"], line) not in added:
                faults.append(f"{case['id']}: {bug['file']}:{line} is not added by the change")
    print("\n".join(faults))
    print(f"{cases} cases, {lines} lines: {same} as git blames them, {passed} traced further, {len(faults)} disagree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
