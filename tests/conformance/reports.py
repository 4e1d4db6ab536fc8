"""Reads the reports in a folder with parsers that others wrote: rdjsonl line by line (jsonschema), XML (expat and lxml),
JUnit (junitparser), Markdown (cmark-gfm, the renderer of GitHub)."""
import html.parser
import json
import pathlib
import re
import sys
import xml.parsers.expat

import cmarkgfm
import jsonschema
import junitparser
import lxml.etree
from cmarkgfm.cmark import Options

here = pathlib.Path(__file__).parent
folder = pathlib.Path(sys.argv[1])
bad = 0


def fail(file, what):
    global bad
    print(f"{file}: {what}")
    bad = 1


def files(suffix):
    return sorted(folder.rglob(f"*.{suffix}"))


# --- rdjsonl

definitions = json.loads((here / "rdjson.schema.json").read_text())["definitions"]
diagnostic = jsonschema.Draft4Validator({"definitions": definitions, "$ref": "#/definitions/reviewdog.rdf.Diagnostic"})
for file in files("rdjsonl"):
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        for error in diagnostic.iter_errors(line):
            fail(file, error.message)
        if line.pop("source", {}).get("name") != "diffsieve":
            fail(file, "a line without its source")
    document = file.with_suffix(".rdjson")
    if document.exists() and json.loads(document.read_text())["diagnostics"] != lines:
        fail(file, "holds something else than the document")

# --- GitLab

for file in files("gitlab"):
    issues = json.loads(file.read_text())
    if len({issue["fingerprint"] for issue in issues}) != len(issues):
        fail(file, "two issues with one fingerprint")

# --- XML

for file in files("checkstyle") + files("junit"):
    data = file.read_bytes()
    try:
        xml.parsers.expat.ParserCreate().Parse(data, True)
        lxml.etree.fromstring(data)
    except (xml.parsers.expat.ExpatError, lxml.etree.XMLSyntaxError) as error:
        fail(file, error)
for file in files("junit"):
    suites = junitparser.JUnitXml.fromfile(str(file))
    said = [suites.tests, suites.failures, suites.errors, suites.skipped]
    cases = [case for suite in suites for case in suite]
    results = [type(case.result[0]) if case.result else None for case in cases]
    kinds = [junitparser.Failure, junitparser.Error, junitparser.Skipped]
    found = [len(cases), *(results.count(kind) for kind in kinds)]
    if said != found or not cases:
        fail(file, f"says {said} and holds {found}")
    suites.update_statistics()
    if said != [suites.tests, suites.failures, suites.errors, suites.skipped]:
        fail(file, "suites and their sum differ")
    if len({(case.classname, case.name) for case in cases}) != len(cases):
        fail(file, "two test cases with one name")
    # The verdict of the same report decides what a reader shows.
    report = file.with_suffix(".json")
    if report.exists():
        passed = json.loads(report.read_text())["gate"]["verdict"] == "pass"
        if passed != (said[1] + said[2] == 0):
            fail(file, "red and the verdict differ")

# --- Markdown

PLAIN = {"h2", "h3", "p", "strong", "code", "pre", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}


class Page(html.parser.HTMLParser):
    """The tags of a page, and its text outside of code."""

    def __init__(self):
        super().__init__()
        self.tags, self.prose, self.code = set(), [], 0

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.code += tag == "code"

    def handle_endtag(self, tag):
        self.code -= tag == "code"

    def handle_data(self, data):
        if not self.code:
            self.prose.append(data)


for file in files("markdown"):
    page = Page()
    text = file.read_text()
    page.feed(cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE))
    if page.tags - PLAIN:
        fail(file, f"renders {page.tags - PLAIN}")
    # What GitHub makes of bare text after rendering.
    live = re.search(r"@\w|#\d|https?://|\bwww\.", "\n".join(page.prose))
    if live:
        fail(file, f"live: {live.group()}")
    if len(text.encode()) > 1 << 20 or not text.startswith("## diffsieve "):
        fail(file, "too large, or without its verdict")

sys.exit(bad)
