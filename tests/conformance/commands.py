"""What CI agents would execute of the files in a folder: annotations from *.github, nothing from *.text and *.stderr."""
import pathlib
import sys

from runner_cmd import commands

bad = 0
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if file.suffix not in (".github", ".text", ".stdout", ".stderr"):
        continue
    found = commands(file.read_bytes().decode("utf-8", "replace"))
    if file.suffix == ".github":
        wrong = [c for c in found if c[0] != "v2" or c[1] not in ("error", "warning", "notice")]
        counted = file.with_suffix(".commands")
        if counted.exists() and len(found) != int(counted.read_text()):
            wrong.append(f"{len(found)} commands, {counted.read_text().strip()} intended")
    else:
        wrong = found
    for command in wrong:
        print(f"{file.name}: {command}")
        bad = 1
sys.exit(bad)
