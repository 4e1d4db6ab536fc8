#!/usr/bin/env python3
"""Makes docs/review.svg: a real review of the repository that .ci/scratch makes, as a terminal shows it.

    docs/picture.py [BINARY]     BINARY is target/debug/diffsieve unless named

Python's standard library only. The picture is made by hand when the output changes; nothing depends on it.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZE, WIDTH, HEIGHT, MARGIN, BAR = 14, 8.43, 19, 18, 34
BACKGROUND, FOREGROUND, DIM = "#0d1117", "#d1d9e0", "#8b949e"
COLOURS = {
    30: "#484f58", 31: "#ff7b72", 32: "#3fb950", 33: "#d29922", 34: "#58a6ff", 35: "#bc8cff", 36: "#39c5cf", 37: "#b1bac4",
    90: "#6e7681", 91: "#ffa198", 92: "#56d364", 93: "#e3b341", 94: "#79c0ff", 95: "#d2a8ff", 96: "#56d4dd", 97: "#ffffff",
}


def review(binary: Path) -> str:
    """The coloured output of the binary, with a prompt."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / "stock"
        subprocess.run([ROOT / ".ci" / "scratch", scratch], check=True)
        # Only what a plain terminal has, and no configuration of the user.
        env = {"PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm-256color", "COLUMNS": "100"}
        done = subprocess.run([binary, "review", "--color", "always"], cwd=scratch, env=env, capture_output=True, text=True)
    if done.returncode != 1:
        sys.exit(f"expected findings and exit code 1, got {done.returncode}: {done.stderr}")
    return f"\x1b[1;92m$\x1b[0m diffsieve\n{done.stdout}\x1b[1;92m$\x1b[0m echo $?\n{done.returncode}\n"


def runs(line: str):
    """Splits a line into (column, text, colour, bold, dim)."""
    colour, bold, dim, column = FOREGROUND, False, False, 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if not part.startswith("\x1b"):
            if part.strip():
                lead = len(part) - len(part.lstrip(" "))
                yield column + lead, part.strip(" "), colour, bold, dim
            column += len(part)
            continue
        codes = [int(code or 0) for code in part[2:-1].split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                colour, bold, dim = FOREGROUND, False, False
            elif code == 1:
                bold = True
            elif code == 2:
                dim = True
            elif code == 22:
                bold = dim = False
            elif code == 39:
                colour = FOREGROUND
            elif code in COLOURS:
                colour = COLOURS[code]
            else:
                sys.exit(f"no picture of the ANSI code {code}")


def picture(text: str) -> str:
    """Lines of ANSI text as SVG. Every run has its length set, so that columns meet in any monospaced font."""
    lines = text.expandtabs(4).rstrip("\n").split("\n")
    columns = max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    width, height = round(columns * WIDTH + 2 * MARGIN), len(lines) * HEIGHT + BAR + MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="{SIZE}">',
        "<title>diffsieve reviews a branch: findings with code, what was read, the verdict</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
    ]
    for index, dot in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        out.append(f'<circle cx="{MARGIN + 6 + index * 20}" cy="17" r="6" fill="{dot}"/>')
    for row, line in enumerate(lines):
        y = BAR + SIZE + row * HEIGHT
        for column, content, colour, bold, dim in runs(line):
            style = ' font-weight="bold"' if bold else ""
            style += ' opacity="0.7"' if dim else ""
            out.append(
                f'<text x="{MARGIN + column * WIDTH:.1f}" y="{y}" fill="{colour}"{style} xml:space="preserve" '
                f'textLength="{len(content) * WIDTH:.1f}">{html.escape(content, quote=False)}</text>'
            )
    out.append("</svg>")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    program = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "debug" / "diffsieve").resolve()
    (ROOT / "docs" / "review.svg").write_text(picture(review(program)), encoding="utf-8")
