"""Microsoft's SARIF multitool over a folder. It always exits 0 and says nothing of files that break the schema, so the
schema goes first (tests/conformance/run) and its answer is read from the log that it writes."""
import json
import pathlib
import subprocess
import sys
import tempfile

multitool, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
here = pathlib.Path(__file__).resolve().parent
bad = 0


def tool(*arguments):
    command = [str(multitool / "Sarif.Multitool"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def validate(file, out):
    answer = tool("validate", file, "-c", here / "multitool-config.xml", "--rule-kind", "Sarif;Ghas",
                  "--level", "Error;Warning", "-o", out, "--log", "ForceOverwrite")
    if not out.exists():
        return [("error", "no answer", answer.stdout + answer.stderr)]
    log = json.loads(out.read_text("utf-8-sig"))
    return [(result.get("level", "warning"), result["ruleId"], (result["message"].get("arguments") or [""])[0])
            for run in log["runs"] for result in run.get("results", [])]


def own_hashes(source, out):
    """The tool's own primaryLocationLineHash of every line of a file."""
    lines = len(source.with_suffix(".hashes").read_text().split())
    text = {"text": "x"}
    location = {"artifactLocation": {"uri": source.name, "uriBaseId": "ROOT"}}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "x"}}, "originalUriBaseIds": {"ROOT": {"uri": source.parent.as_uri() + "/"}},
        "results": [{"message": text, "ruleId": "x", "locations": [{"physicalLocation": {
            **location, "region": {"startLine": line}}}]} for line in range(1, lines + 1)]}]}
    given = out.with_suffix(".in.sarif")
    given.write_text(json.dumps(log))
    tool("rewrite", given, "-o", out, "--insert", "RollingHashPartialFingerprints", "--log", "ForceOverwrite")
    results = json.loads(out.read_text("utf-8-sig"))["runs"][0]["results"]
    return [result.get("partialFingerprints", {}).get("primaryLocationLineHash") for result in results]


with tempfile.TemporaryDirectory() as scratch:
    for number, file in enumerate(sorted(folder.glob("*.sarif"))):
        for level, rule, where in validate(file, pathlib.Path(scratch) / f"validated{number}.sarif"):
            print(f"{file.name}: {level} {rule} {where}")
            bad |= level == "error"
    for number, source in enumerate(sorted(folder.glob("*.src"))):
        # .NET swallows the byte order mark; the reference (Node's UTF-8 decoder) hashes it.
        if source.read_bytes().startswith(b"\xef\xbb\xbf"):
            continue
        theirs = own_hashes(source, pathlib.Path(scratch) / f"hashed{number}.sarif")
        ours = source.with_suffix(".hashes").read_text().split()
        differing = [line for line, (a, b) in enumerate(zip(ours, theirs), 1) if b is not None and a != b]
        known = sum(value is not None for value in theirs)
        if differing or not known:
            print(f"{source.name}: {len(differing)} of {known} hashes differ, lines {differing[:5]}")
            bad = 1
sys.exit(bad)
