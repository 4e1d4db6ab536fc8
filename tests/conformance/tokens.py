"""What `context` estimates, and what forms of a diff cost, against real tokenizers.

usage: tokens.py estimates WHEELS TOKEN_ESTIMATES REPOSITORY...
       tokens.py forms WHEELS REPOSITORY...
       tokens.py prompts WHEELS FOLDER

Needs `pip install tiktoken tokenizers`. WHEELS is a folder with three unpacked wheels that bundle vocabularies
(`pip download --no-deps anthropic==0.34.2 litellm==1.61.20 mistral_common==1.13.1`, then `unzip`): cl100k_base and
o200k_base (OpenAI), Claude 2's, and Mistral's Tekken. TOKEN_ESTIMATES is target/debug/examples/token_estimates. Files and
diffs are taken from HEAD of the repositories, seeded: the same commits give the same table.
"""

import base64
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

LANGUAGES = {"python": ".py", "javascript": ".js", "typescript": ".ts", "java": ".java", "c": ".c", "cpp": ".cc",
             "csharp": ".cs", "go": ".go", "rust": ".rs", "php": ".php", "ruby": ".rb", "yaml": ".yml", "json": ".json",
             "markdown": ".md"}
FILES = 60
COMMITS = 60


def tokenizers(wheels):
    data = pathlib.Path(wheels)
    cache = tempfile.mkdtemp()
    for file in (data / "litellm/litellm_core_utils/tokenizers").iterdir():
        if file.suffix == "":
            os.symlink(file.resolve(), pathlib.Path(cache) / file.name)
    os.environ["TIKTOKEN_CACHE_DIR"] = cache
    import tiktoken
    from tokenizers import Tokenizer
    claude = Tokenizer.from_file(str(data / "anthropic/tokenizer.json"))
    tekken = json.loads((data / "mistral_common/data/tekken_240911.json").read_text())
    config = tekken["config"]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"]
             for entry in tekken["vocab"][:config["default_vocab_size"] - config["default_num_special_tokens"]]}
    encodings = {"cl100k": tiktoken.get_encoding("cl100k_base"), "o200k": tiktoken.get_encoding("o200k_base"),
                 "tekken": tiktoken.Encoding(name="tekken", pat_str=config["pattern"], mergeable_ranks=ranks,
                                             special_tokens={})}
    counts = {name: lambda text, own=own: len(own.encode(text, disallowed_special=())) for name, own in encodings.items()}
    counts["claude2"] = lambda text: len(claude.encode(text).ids)
    return counts


def prompts(counts, folder):
    """What `cargo bench --bench model -- … --save FOLDER` wrote, against the plain diff."""
    for run in sorted(pathlib.Path(folder).iterdir()):
        for name, count in counts.items():
            diff = count((run / "diff.txt").read_text())
            collect = sum(count(file.read_text()) for file in run.glob("*.collect.txt"))
            both = collect + sum(count(file.read_text()) for file in run.glob("*.validate.txt"))
            print(f"{run.name} {name:<8} diff {diff:>7} questions {collect / diff:.2f} and second opinions {both / diff:.2f}")


def git(repository, *arguments):
    done = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf8", "replace")


def estimates(counts, program, repositories):
    chance = random.Random(11)
    listed = {repository: git(repository, "ls-tree", "-r", "--name-only", "HEAD").splitlines() for repository in repositories}
    print(f"{'language':<11}{'files':>6}{'mean |e|':>10}{'p95 |e|':>9}{'total':>8}   estimate against each tokenizer, whole sample")
    for language, end in LANGUAGES.items():
        paths = [(repository, path) for repository, all in listed.items() for path in all if path.endswith(end)]
        chance.shuffle(paths)
        texts = []
        for repository, path in paths:
            text = git(repository, "show", f"HEAD:{path}")
            if 400 < len(text) < 60_000:
                texts.append(text)
            if len(texts) == FILES:
                break
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for index, text in enumerate(texts):
                name = pathlib.Path(folder) / str(index)
                name.write_text(text)
                names.append(f"{language if language not in ('json', 'markdown') else '-'} {name}")
            done = subprocess.run([program], input="\n".join(names), capture_output=True, check=True, text=True)
        guessed = [int(line) for line in done.stdout.split()]
        real = [{name: count(text) for name, count in counts.items()} for text in texts]
        means = [statistics.mean(row.values()) for row in real]
        errors = sorted(abs(guess / mean - 1) for guess, mean in zip(guessed, means))
        against = "  ".join(f"{name} {sum(guessed) / sum(row[name] for row in real) - 1:+.1%}" for name in counts)
        total = sum(guessed) / sum(means) - 1
        print(f"{language:<11}{len(texts):>6}{statistics.mean(errors):>10.1%}{errors[int(len(errors) * .95)]:>9.1%}"
              f"{total:>+8.1%}   {against}")


def hunks(text):
    current = None
    for line in text.split("\n"):
        header = re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@", line)
        if header:
            if current:
                yield current
            current = (int(header[1]), int(header[2]), [])
        elif current and line[:1] in ("+", "-", " ") and not line.startswith(("--- ", "+++ ")):
            current[2].append((line[0], line[1:]))
        elif current and not line.startswith("\\"):
            yield current
            current = None


def form(rows, old, new, local):
    if local:
        new = 1

    def lines(unchanged, removed, added):
        nonlocal old, new
        out = []
        for sign, text in rows:
            shape = {" ": unchanged, "-": removed, "+": added}[sign]
            out.append(shape.format(o=old, n=new, t=text))
            old += sign != "+"
            new += sign != "-"
        return "\n".join(out)
    return lines


FORMS = {
    "plain diff": (False, " {t}", "-{t}", "+{t}"),
    "words (design sketch)": (False, "   {n:>4} |{t}   unchanged", " - ---- |{t}   removed", " + {n:>4} |{t}   CHANGED"),
    "two columns": (False, "{o:>4} {n:>4}  |{t}", "{o:>4}      -|{t}", "     {n:>4} +|{t}"),
    "CQS": (False, "{n}  {t}", "{o} -{t}", "{n} +{t}"),
    "bar, within the chunk": (True, "{n} |{t}", "-|{t}", "{n}+|{t}"),
    "ours": (True, "{n}  {t}", "- {t}", "{n}+ {t}"),
}


def forms(counts, repositories):
    print(f"{'':<24}" + "".join(f"{name:>10}" for name in counts))
    totals = {name: dict.fromkeys(counts, 0) for name in FORMS}
    for repository in repositories:
        text = git(repository, "log", "-p", "--no-merges", "-n", str(COMMITS), "--format=", "HEAD")
        found = list(hunks(text))[:1500]
        for name, (local, *shapes) in FORMS.items():
            drawn = "\n".join(form(rows, old, new, local)(*shapes) for old, new, rows in found)
            for tokenizer, count in counts.items():
                totals[name][tokenizer] += count(drawn)
    for name, row in totals.items():
        print(f"{name:<24}" + "".join(f"{row[each] / totals['plain diff'][each]:>10.3f}" for each in counts))


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("estimates", "forms", "prompts"):
        raise SystemExit(__doc__)
    counts = tokenizers(sys.argv[2])
    if sys.argv[1] == "estimates":
        estimates(counts, sys.argv[3], sys.argv[4:])
    elif sys.argv[1] == "prompts":
        prompts(counts, sys.argv[3])
    else:
        forms(counts, sys.argv[3:])


main()
