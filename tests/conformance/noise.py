"""How often a review of merged changes of a mature repository finds something, and what.

usage: noise.py DIFFSIEVE REPOSITORY [COUNT] [LEVEL]

Reviews the last COUNT (default 100) first-parent commits with the embedded packs alone and prints how many changes have
a finding of each level and tag, then every finding at LEVEL (default error) or above with its line. What was merged there passed
the review of its maintainers, so an error on it is either a fault they missed or a false alarm: somebody has to look.
"""

import collections
import json
import os
import subprocess
import sys

LEVELS = ["note", "warning", "error"]


def review(program, repository, commit):
    command = [program, "review", "-C", repository, "--commit", commit, "--no-config", "--format", "json", "--fail-on", "never",
               "--on-incomplete", "warn"]
    done = subprocess.run(command, capture_output=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
    if done.returncode != 0:
        raise SystemExit(f"{commit}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def main():
    program, repository = sys.argv[1], sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    shown = LEVELS.index(sys.argv[4]) if len(sys.argv) > 4 else LEVELS.index("error")
    listed = subprocess.run(["git", "-C", repository, "rev-list", "--first-parent", f"--max-count={count}", "HEAD"],
                            capture_output=True, check=True, text=True)
    commits = listed.stdout.split()
    changes = collections.Counter()
    findings = collections.Counter()
    tags = collections.Counter()
    tagged = collections.Counter()
    lines = files = incomplete = 0
    shown_findings = []
    for commit in commits:
        report = review(program, repository, commit)
        files += len(report["change"]["files"])
        lines += report["coverage"]["added_lines"]
        incomplete += not report["gate"]["complete"]
        for level in {finding["level"] for finding in report["findings"]}:
            changes[level] += 1
        for kind in {(finding["level"], finding["tag"]) for finding in report["findings"]}:
            tagged[kind] += 1
        for finding in report["findings"]:
            findings[finding["level"]] += 1
            tags[(finding["level"], finding["tag"])] += 1
            if LEVELS.index(finding["level"]) >= shown:
                shown_findings.append((commit[:9], finding))
    print(f"{repository}: {len(commits)} changes, {files} files, {lines} added lines, {incomplete} incomplete")
    for level in reversed(LEVELS):
        share = 100 * changes[level] / max(len(commits), 1)
        print(f"  {level:<8} {findings[level]:5} findings on {changes[level]:4} changes ({share:.1f} %)")
    for (level, tag), number in sorted(tags.items(), key=lambda item: (-LEVELS.index(item[0][0]), -item[1])):
        print(f"    {level:<8} {tag:<28} {number} on {tagged[level, tag]} changes")
    for commit, finding in shown_findings:
        quote = finding["quote"].splitlines()[0].strip()[:100]
        print(f"  {commit} {finding['level']} {finding['tag']} {finding['file']}:{finding['line']}: {quote}")


main()
