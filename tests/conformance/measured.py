#!/usr/bin/env python3
"""Makes a measurement that nobody made: a dataset, runs over it and their scores, all drawn from a seed.

For the page of `eval report`: how it looks, how fast it is, and whether hostile text does anything in it.
No number in it says anything about any reviewer.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

LANGUAGES = ["python", "typescript", "go", "rust", "java"]
CATEGORIES = ["Structural", "Data", "Coding", "Memory", "Concurrency", "Security"]
IMPACTS = ["Functional Suitability", "Performance Efficiency", "Reliability", "Security"]
SEVERITIES = ["low", "medium", "high", "critical"]
TAGS = ["DivisionByZero", "ResourceLeak", "UseConstant", "Typo", "ExtractMethod", "DictionaryKeyExistenceCheck"]
OPERATORS = ["swap-arguments", "off-by-one", "drop-await", "negate-condition", "remove-lock"]
STAGES = ["ground", "evidence", "validate", "filter", "suppress", "merge", "rank"]
SAYS = [
    "The loop reads one element past the end of the list; should it stop at `len - 1`?",
    "The file stays open when `parse` fails. Could a context manager close it?",
    "The divisor is the length of a list that may be empty here.",
    "This name says what the value was, not what it is now.",
    "Two callers hold the lock in different orders, which can deadlock.",
    "The default is shared by all calls, so the second one sees what the first one left.",
]
PROTOCOLS = ["cr-bench", "swe-prbench", "sphinx", "cqs"]


def lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def case(draw, number, clean, word):
    found = {"id": f"case-{number:04}", "source": {"files": {"folder": "."}}, "title": f"Change {number}{word}"}
    found["language"] = draw.choice(LANGUAGES)
    found["difficulty"] = draw.choice(["easy", "easy", "medium", "hard"])
    if clean:
        return found | {"clean": True}
    file = f"src/part_{number % 9}/module_{number}.py"
    bugs = [
        {"id": f"b{bug}", "description": draw.choice(SAYS) + word, "file": file, "line": draw.randrange(1, 200),
         "category": draw.choice(CATEGORIES) + word, "impact": draw.choice(IMPACTS), "severity": draw.choice(SEVERITIES)}
        for bug in range(draw.choice([1, 1, 1, 2]))
    ]  # fmt: skip
    found["bugs"] = bugs
    found["comments"] = [{"id": f"h{at}", "body": draw.choice(SAYS), "file": file, "line": bugs[0]["line"]} for at in range(2)]
    found["checklist"] = [{"id": f"k{at}", "text": f"Check {at} (because it fails)"} for at in range(3)]
    found["issues"] = [{"tag": draw.choice(TAGS) + word, "rationale": bug["description"], "file": file, "line": bug["line"]} for bug in bugs]
    if draw.random() < 0.5:
        found["operator"] = draw.choice(OPERATORS)
    return found


def comment(draw, case, name, good, word):
    known = case.get("bugs", [{}])
    at = draw.randrange(len(known))
    near = known[at].get("line", draw.randrange(1, 200))
    tag = case["issues"][at]["tag"] if good and "issues" in case else draw.choice(TAGS) + word
    return {"id": name, "file": known[at].get("file", f"src/other{word}.py"), "line": near if good else near + 40,
            "body": draw.choice(SAYS) + word, "tag": tag, "level": "warning",
            "score": draw.randrange(4, 11) if good else draw.randrange(0, 8), "raised_by": "model"}, at  # fmt: skip


def answer(draw, case, skill, word):
    """An answer, with the decisions of a judge about what was shown and what was removed."""
    clean = case.get("clean", False)
    shown, removed, judged = [], [], []

    def decide(protocol, about, **verdict):
        judged.append({"protocol": protocol, "case": case["id"], "about": about, "judge": "synthetic", "verdict": verdict})

    def say(name, good):
        said, at = comment(draw, case, name, good, word)
        label = "BUG_HIT" if good else draw.choice(["VALID_SUGGESTION", "NOISE", "NOISE"])
        reason = "Nobody judged this; it was drawn." + word
        decide("cr-bench", [name], label=label, reason=reason, **({"matched": case["bugs"][at]["id"]} if good else {}))
        other = draw.choice(["PLAUSIBLE", "PLAUSIBLE", "FABRICATED"])
        verdict = {"label": "CONFIRMED", "matched": f"h{min(at, 1)}"} if good else {"label": other}
        decide("swe-prbench", [name], number=float(draw.randrange(1, 6)), reason=reason, **verdict)
        for index, issue in enumerate(case.get("issues", [])):
            if issue["tag"] == said["tag"]:
                decide("cqs", [name, str(index)], holds=good and index == at, reason=reason)
        return said

    for number in range(draw.choice([0, 1, 1, 2, 3]) if not clean else draw.choice([0, 0, 0, 1])):
        shown.append(say(f"c{number + 1}", not clean and draw.random() < skill))
    for number in range(draw.choice([0, 1, 2, 4])):
        stage = draw.choice(STAGES[:5] + ["validate", "validate", "ground"])
        reason = {"ground": "not_added", "validate": "low_score", "evidence": "refuted"}.get(stage, "rule") + word
        removed.append({"comment": say(f"r{number + 1}", not clean and draw.random() < skill / 4), "stage": stage, "reason": reason})
    for item in case.get("checklist", []):
        decide("sphinx", [item["id"]], holds=draw.random() < skill * 0.6)
    spent = {"requests": 2, "prompt_tokens": draw.randrange(1500, 9000), "completion_tokens": draw.randrange(80, 900),
             "dollars": round(draw.uniform(0.001, 0.02), 5), "seconds": round(draw.uniform(1, 9), 2)}  # fmt: skip
    return {"case": case["id"], "status": "complete", "comments": shown, "removed": removed, "spent": spent}, judged


def run(binary, *arguments):
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run([binary, *map(str, arguments)], env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"diffsieve {' '.join(map(str, arguments))} ends with {done.returncode}: {done.stderr}")
    return done.stdout


def measurement(binary, folder, cases=64, clean=16, reviewers=(("pipeline", 0.6),), word="", seed=1):
    """Writes `folder/dataset` and a run for each reviewer, scored by all protocols; returns the folders of the runs."""
    draw = random.Random(seed)
    dataset = folder / "dataset"
    made = [case(draw, number, number >= cases - clean, word) for number in range(cases)]
    lines(dataset / "cases.jsonl", made)
    manifest = {"format": "diffsieve.dataset/v1", "name": "synthetic" + word, "cases": 0, "digest": ""}
    (dataset / "dataset.json").write_text(json.dumps(manifest), encoding="utf-8")
    run(binary, "dataset", "seal", dataset)
    digest = json.loads((dataset / "dataset.json").read_text(encoding="utf-8"))["digest"]
    runs = []
    for name, skill in reviewers:
        out = folder / name
        pairs = [answer(draw, one, skill, word) for one in made]
        pairs[1][0].update(status="incomplete", why="a chunk was too large")
        pairs[2][0].update(status="failed", comments=[], why="nobody answered")
        lines(out / "answers.jsonl", [said for said, _ in pairs])
        lines(out / "judgements.jsonl", [one for _, judged in pairs for one in judged])
        configuration = {"model": "synthetic/drawn" + word, "strategy": "collect-validate", "context": "B", "packs": ["base"]}
        about = {"format": "diffsieve.run/v1", "dataset": manifest["name"], "digest": digest, "folder": str(dataset),
                 "version": "0", "configuration": configuration}  # fmt: skip
        (out / "run.json").write_text(json.dumps(about), encoding="utf-8")
        for protocol in PROTOCOLS:
            by_words = ["--similarity", "lexical"] if protocol == "swe-prbench" else []
            scores = run(binary, "eval", "score", out, "--protocol", protocol, "--allow-failed", "--format", "json", *by_words)
            (out / "scores").mkdir(exist_ok=True)
            (out / "scores" / f"{protocol}.json").write_text(scores, encoding="utf-8")
            if protocol != "sphinx":
                run(binary, "eval", "ablate", out, "--protocol", protocol)
        runs.append(out)
    return runs


if __name__ == "__main__":
    for made in measurement(os.path.abspath(sys.argv[1]), Path(sys.argv[2])):
        print(made)
