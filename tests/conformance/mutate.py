#!/usr/bin/env python3
"""Reads every mutant of a dataset with parsers that others wrote.

    tests/conformance/mutate.py DATASET

Python by CPython's own parser, JavaScript by `node --check`, TypeScript by its compiler (where node finds the package),
Rust by `rustfmt`, Java by the parser of `javac`, Go by `gofmt -e`, Ruby by `ruby -c`, PHP by `php -l`, each where it is
installed. A file whose twin the parser refuses says nothing and is counted as such. C and C++ are read by gcc without their
headers: a mutant is refused where gcc expects more tokens in it than in its twin.
"""

import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

JAVA = """
import com.sun.source.util.JavacTask;
import javax.tools.*;
import java.util.*;

class Parse {
    public static void main(String[] names) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        for (String name : names) {
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null);
            JavacTask task = (JavacTask) compiler.getTask(null, files, found, null, null, files.getJavaFileObjects(name));
            task.parse();
            boolean wrong = found.getDiagnostics().stream().anyMatch(d -> d.getKind() == Diagnostic.Kind.ERROR);
            System.out.println(wrong ? "wrong" : "right");
        }
    }
}
"""


def ran(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, timeout=120, check=False)
    return done.returncode == 0


def python(path):
    try:
        compile(path.read_bytes(), "file", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def javascript(path):
    # What is no script may be a module.
    text = path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.cjs", "a.mjs"):
            copy = pathlib.Path(folder) / name
            copy.write_bytes(text)
            if ran("node", "--check", str(copy)):
                return True
    return False


def typescript(path):
    program = """
        const ts = require("typescript"), fs = require("fs"), name = process.argv[1];
        const file = ts.createSourceFile(name, fs.readFileSync(name, "utf8"), ts.ScriptTarget.Latest, false);
        process.exit(file.parseDiagnostics.length > 0 ? 1 : 0);
    """
    return ran("node", "-e", program, str(path))


def gcc(language, path):
    """How many tokens gcc misses."""
    lines = path.read_text(errors="replace").split("\n")
    text = "\n".join("" if line.lstrip().startswith("#include") else line for line in lines)
    command = ["gcc", "-x", language, "-w", "-fsyntax-only", "-fmax-errors=0", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
    return sum("error: expected" in line for line in done.stderr.splitlines())


PARSERS = {
    "python": (None, python),
    "javascript": ("node", javascript),
    "rust": ("rustfmt", lambda path: ran("rustfmt", "--edition", "2024", "--emit", "stdout", text=path.read_bytes())),
    "go": ("gofmt", lambda path: ran("gofmt", "-e", str(path))),
    "ruby": ("ruby", lambda path: ran("ruby", "-c", str(path))),
    "php": ("php", lambda path: ran("php", "-l", str(path))),
}


def java(paths):
    """All files in one start of the virtual machine."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "Parse.java"
        program.write_text(JAVA)
        done = subprocess.run(["java", str(program), *map(str, paths)], capture_output=True, text=True, check=True)
    return [line == "right" for line in done.stdout.split()]


def main():
    folder = pathlib.Path(sys.argv[1])
    cases = [json.loads(line) for line in (folder / "cases.jsonl").open()]
    by_id = {case["id"]: case for case in cases}

    def file_of(case, name):
        return folder / case["source"]["files"]["folder"] / "new" / name

    pairs = collections.defaultdict(list)
    for case in cases:
        if case.get("operator"):
            name = case["bugs"][0]["file"]
            pairs[case["language"]].append((case, file_of(case, name), file_of(by_id[case["twin"]], name)))
    wrong = 0
    for language, found in sorted(pairs.items()):
        if language == "java" and shutil.which("java"):
            verdicts = list(zip(java([mutant for _, mutant, _ in found]), java([twin for _, _, twin in found])))
        elif language in ("c", "cpp") and shutil.which("gcc"):
            counts = [[gcc({"c": "c", "cpp": "c++"}[language], path) for path in pair] for _, *pair in found]
            verdicts = [(mutant <= twin, True) for mutant, twin in counts]
        elif language in ("typescript", "tsx") and ran("node", "-e", "require('typescript')"):
            verdicts = [(typescript(mutant), typescript(twin)) for _, mutant, twin in found]
        elif language in PARSERS and (PARSERS[language][0] is None or shutil.which(PARSERS[language][0])):
            parser = PARSERS[language][1]
            verdicts = [(parser(mutant), parser(twin)) for _, mutant, twin in found]
        else:
            print(f"{language}: {len(found)} mutants, no parser here")
            continue
        read = sum(twin for _, twin in verdicts)
        refused = [case for (case, _, _), (mutant, twin) in zip(found, verdicts) if twin and not mutant]
        print(f"{language}: {len(found)} mutants, {read} twins read, {len(refused)} mutants refused")
        for case in refused:
            print(f"  REFUSED {case['id']} {case['operator']}")
        wrong += len(refused)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
