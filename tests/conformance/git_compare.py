#!/usr/bin/env python3
"""Compares diffsieve's files, statuses and hunks with git's on a real repository.

    git_compare.py DUMP REPOSITORY [--commits N] [--rev REV] [--skip K] [--merges] [--range OLD NEW]... [--every K]

DUMP is `examples/diff_dump`. For each pair of commits:
  files    the same (status, similarity, old path, new path) as `git diff -M --raw`
  hunks    the same ranges as `git diff -M -U0`; where they differ, as `git diff -M -U3` (git trims the common end
           only under -U0, which can move a hunk)
  valid    the old content with our hunks applied is the new content
Prints every difference and a line of totals; exits 1 if a diff is not valid or files differ.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time
from urllib.parse import unquote_to_bytes

ENV = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C",
}
EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def git(repo, *args):
    return subprocess.run(["git", "-C", repo, *args], env=ENV, check=True, stdout=subprocess.PIPE).stdout


def tree(rev):
    return EMPTY if rev == "-" else rev


class Blobs:
    def __init__(self, repo):
        self.process = subprocess.Popen(
            ["git", "-C", repo, "cat-file", "--batch"], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def get(self, oid):
        if set(oid) == {"0"}:
            return b""
        self.process.stdin.write(oid.encode() + b"\n")
        self.process.stdin.flush()
        size = int(self.process.stdout.readline().split()[2])
        data = self.process.stdout.read(size)
        self.process.stdout.read(1)
        return data


def raw(repo, old, new):
    """(status, old path, new path) -> (old oid, new oid, old mode, new mode); a changed type is a D and an A."""
    fields = git(repo, "diff", "--no-ext-diff", "-M", "--raw", "-z", "--no-abbrev", tree(old), tree(new)).split(b"\0")
    found, at = {}, 0
    while at < len(fields) - 1:
        old_mode, new_mode, old_id, new_id, status = fields[at].decode().lstrip(":").split()
        one = fields[at + 1]
        at += 2
        zero = "0" * len(old_id)
        if status[0] in "RC":
            found[(status, one, fields[at])] = (old_id, new_id, old_mode, new_mode)
            at += 1
        elif status == "T":
            found[("D", None, one)] = (old_id, zero, old_mode, "000000")
            found[("A", None, one)] = (zero, new_id, "000000", new_mode)
        else:
            found[(status, None, one)] = (old_id, new_id, old_mode, new_mode)
    return found


def patches(repo, old, new, context):
    """Hunk ranges by (old oid, new oid, ...) in the order of the raw output; contexts are taken off again."""
    text = git(repo, "-c", "diff.algorithm=myers", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "-M",
               "--full-index", f"-U{context}", tree(old), tree(new))
    files, hunks, body = [], None, 0
    lines = text.split(b"\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(b"diff --git "):
            hunks = []
            files.append([line, hunks])
            continue
        match = HUNK.match(line)
        if not match:
            continue
        old_line, old_count, new_line, new_count = (int(part) if part else 1 for part in match.groups())
        old_line += old_count == 0
        new_line += new_count == 0
        run = None
        while old_count > 0 or new_count > 0 or (at < len(lines) and lines[at].startswith(b"\\")):
            mark = lines[at][:1]
            at += 1
            if mark == b"\\":
                continue
            if mark == b" ":
                run = None
                old_line, new_line, old_count, new_count = old_line + 1, new_line + 1, old_count - 1, new_count - 1
                continue
            if run is None:
                run = [old_line, 0, new_line, 0]
                hunks.append(run)
            if mark == b"-":
                run[1] += 1
                old_line, old_count = old_line + 1, old_count - 1
            else:
                run[3] += 1
                new_line, new_count = new_line + 1, new_count - 1
    return files


def lines_of(data):
    return data.splitlines(keepends=True) if b"\r" not in data else re.findall(rb"[^\n]*\n|[^\n]+$", data)


def apply(old, new, hunks):
    old, new = re.findall(rb"[^\n]*\n|[^\n]+\Z", old), re.findall(rb"[^\n]*\n|[^\n]+\Z", new)
    out, at = [], 0
    for old_first, old_count, new_first, new_count in hunks:
        out += old[at:old_first - 1]
        if len(out) != new_first - 1:
            return False
        out += new[new_first - 1:new_first - 1 + new_count]
        at = old_first - 1 + old_count
    return out + old[at:] == new


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump")
    parser.add_argument("repo")
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--rev", default="HEAD")
    parser.add_argument("--merges", action="store_true", help="merges against their first parent, as pull requests")
    parser.add_argument("--range", nargs=2, action="append", default=[])
    options = parser.parse_args()
    pairs = [tuple(pair) for pair in options.range]
    if options.commits:
        kind = ["--merges", "--first-parent"] if options.merges else ["--no-merges"]
        revs = git(options.repo, "rev-list", *kind, "--parents", f"--max-count={options.commits * options.every}",
                   f"--skip={options.skip}", options.rev).decode().splitlines()[::options.every]
        for line in revs:
            commit, *parents = line.split()
            pairs.append((parents[0] if parents else "-", commit))
    started = time.time()
    dump = subprocess.run([options.dump, options.repo], input="".join(f"{a} {b}\n" for a, b in pairs).encode(),
                          stdout=subprocess.PIPE, check=True).stdout
    ours_seconds = time.time() - started
    blobs = Blobs(options.repo)
    total = dict(pairs=0, files=0, files_same=0, hunks=0, text=0, hunks_same=0, hunks_same_u3=0, valid=0, invalid=0,
                 renames=0, cut=0)
    git_seconds = 0.0
    failed = False
    for (old, new), line in zip(pairs, dump.splitlines(), strict=True):
        ours = json.loads(line)
        total["pairs"] += 1
        total["cut"] += ours["cut"]
        theirs = raw(options.repo, old, new)
        mine = {}
        for file in ours["files"]:
            key = (file["status"], file["old_path"] and unquote_to_bytes(file["old_path"]),
                   unquote_to_bytes(file["path"]))
            mine[key] = file
        total["files"] += len(theirs)
        total["renames"] += sum(key[0][0] == "R" for key in theirs)
        total["files_same"] += len(set(theirs) & set(mine))
        if set(theirs) != set(mine):
            failed = True
            for key in sorted(set(theirs) - set(mine), key=str):
                print(f"FILES {old[:12]}..{new[:12]} only git: {key}")
            for key in sorted(set(mine) - set(theirs), key=str):
                print(f"FILES {old[:12]}..{new[:12]} only ours: {key}")
        started = time.time()
        zero = patches(options.repo, old, new, 0)
        git_seconds += time.time() - started
        by_key, order = {}, list(theirs)
        if len(zero) != len(order):
            # A changed type prints in another order; keep to the rest.
            print(f"ORDER {old[:12]}..{new[:12]} {len(zero)} patches for {len(order)} files")
            order = []
        for key, (_, hunks) in zip(order, zero):
            by_key[key] = hunks
        three = None
        for key, file in mine.items():
            if key not in theirs or file["body"] != "text" and key in by_key and not by_key[key]:
                continue
            old_id, new_id, *modes = theirs[key]
            if not all(mode.startswith(("100", "000")) for mode in modes):
                continue  # git shows the target of a link and the commit of a submodule as lines
            total["text"] += 1
            total["hunks"] += len(file["hunks"])
            if file["body"] != "text":
                failed = True
                print(f"BODY {old[:12]}..{new[:12]} {key}: {file['body']}, git shows {len(by_key.get(key, []))} hunks")
                continue
            if apply(blobs.get(old_id), blobs.get(new_id), file["hunks"]):
                total["valid"] += 1
            else:
                total["invalid"] += 1
                failed = True
                print(f"INVALID {old[:12]}..{new[:12]} {key}")
            if key not in by_key:
                continue
            if by_key[key] == file["hunks"]:
                total["hunks_same"] += 1
                continue
            if three is None:
                three = dict(zip(order, (hunks for _, hunks in patches(options.repo, old, new, 3))))
            if three.get(key) == file["hunks"]:
                total["hunks_same_u3"] += 1
                continue
            theirs_only = [hunk for hunk in by_key[key] if hunk not in file["hunks"]]
            ours_only = [hunk for hunk in file["hunks"] if hunk not in by_key[key]]
            print(f"HUNKS {old[:12]}..{new[:12]} {key}: git {theirs_only[:3]} ours {ours_only[:3]}")
    print(json.dumps({**total, "ours_s": round(ours_seconds, 2), "git_s": round(git_seconds, 2)}))
    sys.exit(failed)


main()
