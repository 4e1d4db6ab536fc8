"""Compares *.hashes (ours, one a line) with what the reference of GitHub's line hash makes of *.src."""
import pathlib
import sys

from plh import hashes

bad = 0
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.src")):
    expected = [value for _, value in hashes(file.read_bytes().decode("utf-8", "replace"))]
    ours = file.with_suffix(".hashes").read_text().split()
    if ours != expected:
        first = next((i for i, (a, b) in enumerate(zip(ours, expected)) if a != b), min(len(ours), len(expected)))
        print(f"{file.name}: {len(ours)} hashes, {len(expected)} expected, different from line {first + 1}")
        bad = 1
sys.exit(bad)
