"""What CI agents would execute of the files in a folder: annotations from *.github, issues from *.azure, nothing from
reports in any other format and from what went to the terminal. `NAME.commands` tells how many are intended."""
import pathlib
import sys

from runner_cmd import commands

INTENDED = {
    "github": ("v2", {"error", "warning", "notice"}),
    "azure": ("vso", {"task.logissue", "task.complete"}),
}
# Inputs and notes of the checks themselves.
NO_REPORTS = {".commands", ".hashes", ".src"}

bad = 0
files = [file for file in sorted(pathlib.Path(sys.argv[1]).rglob("*")) if file.is_file()]
for file in files:
    if file.suffix in NO_REPORTS or file.name == "report.schema.json":
        continue
    found = commands(file.read_bytes().decode("utf-8", "replace"))
    syntax, names = INTENDED.get(file.suffix[1:], (None, set()))
    wrong = [command for command in found if command[0] != syntax or command[1] not in names]
    counts = file.with_suffix(".commands")
    if syntax and counts.exists():
        intended = int(dict(line.split() for line in counts.read_text().splitlines())[file.suffix[1:]])
        if len(found) != intended:
            wrong.append(f"{len(found)} commands, {intended} intended")
    for command in wrong:
        print(f"{file.name}: {command}")
        bad = 1
sys.exit(bad)
