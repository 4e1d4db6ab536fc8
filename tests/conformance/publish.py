"""`diffsieve publish github` against a pull request on loopback that holds every request against GitHub's own description.

usage: publish.py BINARY             the scenarios below, with github_operations.json beside this file
       publish.py --extract OPENAPI  prints that file anew, from `api.github.com.deref.json` of npm's @octokit/openapi
       publish.py --compare OPENAPI  fails where it is not what GitHub describes today
       publish.py --queries          prints the GraphQL documents that BINARY's source holds, for a validator

BINARY reviews three pushes of a real repository and publishes each report; what GitHub refuses, limits, loses and lists in
pages is put in its way. Nothing may be lost or told twice, and nothing of a hostile report may be live on the page. Bodies
are rendered by cmark-gfm, the renderer that GitHub publishes.
"""

import collections
import concurrent.futures
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

OPERATIONS = pathlib.Path(__file__).with_name("github_operations.json")
USED = [
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/files"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/comments"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("get", "/repos/{owner}/{repo}/git/commits/{commit_sha}"),
    ("post", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"),
    ("post", "/repos/{owner}/{repo}/pulls/{pull_number}/comments"),
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("patch", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
]
TOKEN = "ghs_loopback_geheim_12345678"
BOT = "github-actions[bot]"
MARK = re.compile(r"<!-- diffsieve:v1 fp=([0-9a-f]{32}) -->\n")


class Failed(Exception):
    """A check that did not hold."""


def expect(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: {found!r} instead of {wanted!r}")


# --- GitHub's description


def bare(schema):
    """A schema without its prose."""
    if isinstance(schema, dict):
        prose = {"description", "example", "examples", "x-github", "deprecated", "title"}
        # Below `properties` the keys are names.
        return {key: {name: bare(each) for name, each in value.items()} if key == "properties" else bare(value)
                for key, value in schema.items() if key not in prose}
    return [bare(each) for each in schema] if isinstance(schema, list) else schema


def extract(openapi):
    paths = json.loads(pathlib.Path(openapi).read_text())["paths"]
    operations = []
    for method, path in USED:
        found = paths[path][method]
        answer = next(iter(found["responses"].values()))["content"]["application/json"]["schema"]
        operation = {
            "method": method,
            "path": path,
            "parameters": [{"name": each["name"], "in": each["in"], "schema": bare(each["schema"])} for each in found["parameters"]],
            "answer": sorted(answer.get("items", answer)["properties"]),
        }
        if "requestBody" in found:
            operation["body"] = bare(found["requestBody"]["content"]["application/json"]["schema"])
        operations.append(operation)
    return operations


# What is read of each answer, so that nobody reads what GitHub does not send.
READ = {
    USED[0]: {"head", "merge_commit_sha"},
    USED[1]: {"filename", "status", "patch"},
    USED[2]: {"id", "node_id", "body", "user", "in_reply_to_id", "subject_type"},
    USED[3]: {"body"},
    USED[4]: {"id", "body", "user"},
    USED[5]: {"parents"},
    USED[6]: {"id"},
}


class Description:
    """Says what is wrong with a request."""

    def __init__(self):
        import jsonschema

        self.validator = jsonschema.Draft7Validator
        self.operations = []
        for operation in json.loads(OPERATIONS.read_text()):
            pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", operation["path"])
            self.operations.append((re.compile(pattern + "$"), operation))
            read = READ.get((operation["method"], operation["path"]), set())
            missing = read - set(operation["answer"])
            if missing:
                raise Failed(f"{operation['path']} does not answer with {missing}")

    def wrong(self, method, path, query, body):
        found = [(pattern.match(path), operation) for pattern, operation in self.operations
                 if operation["method"] == method.lower() and pattern.match(path)]
        if not found:
            return [f"{method} {path} is no operation"]
        match, operation = found[0]
        wrong = []
        for parameter in operation["parameters"]:
            given = (match.groupdict() if parameter["in"] == "path" else query).get(parameter["name"])
            if given is not None:
                value = int(given) if parameter["schema"]["type"] == "integer" and given.isdigit() else given
                wrong += [error.message for error in self.validator(parameter["schema"]).iter_errors(value)]
        known = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"}
        wrong += [f"{path} has no parameter {name}" for name in query.keys() - known]
        if "body" in operation:
            wrong += [error.message for error in self.validator(closed(operation["body"])).iter_errors(body)]
        elif body is not None:
            wrong.append(f"{method} {path} takes no body")
        return wrong


def closed(schema):
    """A schema that knows no other keys: GitHub passes them over, and what it passes over was meant."""
    if isinstance(schema, dict):
        schema = {key: closed(value) for key, value in schema.items()}
        if "properties" in schema:
            schema["additionalProperties"] = False
        return schema
    return [closed(each) for each in schema] if isinstance(schema, list) else schema


# --- a pull request


class Pull:
    """Pull request 7 of acme/shop; `trouble` may answer a request, or say `lose` to have it done and not answered."""

    def __init__(self, description):
        self.description = description
        self.head = ""
        self.files, self.comments, self.conversation, self.reviews = [], [], [], []
        self.hidden = {}
        self.writes, self.wrong = [], []
        self.last = 100
        self.trouble = lambda method, path, body: None
        self.lock = threading.Lock()
        pull = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                length = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                with pull.lock:
                    status, headers, answer = pull.answer(self.command, url.path, query, body, self.headers)
                data = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"content-type": "application/json", "content-length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            # Nothing is deleted: another method is answered with 501, which no run takes well.
            do_GET = do_POST = do_PATCH = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, path, query, body, headers):
        if headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, {}, {"message": "Bad credentials"}
        if path != "/graphql":
            self.wrong += self.description.wrong(method, path, query, body)
        is_write = method != "GET" and not (path == "/graphql" and body["query"].startswith("query"))
        if is_write:
            self.writes.append((method, path))
        trouble = self.trouble(method, path, body)
        if isinstance(trouble, tuple):
            return trouble
        status, answer = self.act(method, path, body)
        if trouble == "lose":
            return 502, {}, {"message": "Server Error"}
        if isinstance(answer, list):
            page, size = int(query.get("page", 1)), int(query.get("per_page", 30))
            more = {"link": '<https://elsewhere.example/?page=2>; rel="next"'} if len(answer) > page * size else {}
            return status, more, answer[(page - 1) * size : page * size]
        return status, {}, answer

    def id(self):
        self.last += 1
        return self.last

    def act(self, method, path, body):
        rest = path.removeprefix("/repos/acme/shop")
        if (method, rest) == ("GET", "/pulls/7"):
            return 200, {"number": 7, "merge_commit_sha": None, "head": {"sha": self.head, "repo": {"id": 1}}}
        if (method, rest) == ("GET", "/pulls/7/files"):
            return 200, self.files
        if (method, rest) == ("GET", "/pulls/7/comments"):
            return 200, self.comments
        if (method, rest) == ("GET", "/issues/7/comments"):
            return 200, self.conversation
        if method == "GET" and (of := re.fullmatch(r"/pulls/7/reviews/(\d+)/comments", rest)):
            return 200, [comment for comment in self.comments if comment["pull_request_review_id"] == int(of[1])]
        if (method, rest) == ("POST", "/pulls/7/reviews"):
            wrong = [error for comment in body["comments"] for error in self.against(comment)]
            if wrong or body["commit_id"] != self.head or not body["body"]:
                return 422, {"message": "Unprocessable Entity", "errors": wrong}
            review = self.id()
            for comment in body["comments"]:
                self.add(comment, "line", review)
            self.reviews.append(body)
            return 200, {"id": review}
        if (method, rest) == ("POST", "/pulls/7/comments"):
            if body["path"] not in [file["filename"] for file in self.files] or body["commit_id"] != self.head:
                return 422, {"message": "Unprocessable Entity", "errors": ["Pull request review thread path is invalid"]}
            self.add(body, "file", None)
            return 201, self.comments[-1]
        if (method, rest) == ("POST", "/issues/7/comments"):
            self.conversation.append({"id": self.id(), "body": body["body"], "user": {"login": BOT}})
            return 201, self.conversation[-1]
        if method == "PATCH" and (of := re.fullmatch(r"/issues/comments/(\d+)", rest)):
            comment = next(comment for comment in self.conversation if comment["id"] == int(of[1]))
            comment["body"] = body["body"]
            return 200, comment
        if (method, rest) == ("POST", "/graphql"):
            return 200, self.graphql(body["query"], body["variables"])
        return 404, {"message": "Not Found"}

    def add(self, comment, subject, review):
        number = self.id()
        self.comments.append({"id": number, "node_id": f"C{number}", "subject_type": subject, "pull_request_review_id": review,
                              "user": {"login": BOT}, **{key: comment.get(key) for key in ("body", "path", "line", "start_line")}})

    def against(self, comment):
        """What GitHub has against a comment on lines."""
        shown = [hunk for file in self.files if file["filename"] == comment["path"] for hunk in right(file.get("patch", ""))]
        hunk = next((hunk for hunk in shown if comment["line"] in hunk), None)
        if hunk is None or comment["side"] != "RIGHT":
            return ["Pull request review thread line must be part of the diff"]
        start = comment.get("start_line")
        if start is not None and (start >= comment["line"] or start not in hunk):
            return ["Pull request review thread start line must precede the end line."]
        return ["Body is too long"] if len(comment["body"]) > 65536 else []

    def graphql(self, query, variables):
        if "viewer" in query:
            return {"data": {"viewer": {"login": BOT}}}
        if "minimizeComment" in query:
            self.hidden[int(variables["id"][1:])] = "outdated"
            return {"data": {"minimizeComment": {"minimizedComment": {"isMinimized": True}}}}
        if "resolveReviewThread" in query:
            return {"data": None, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]}
        nodes = [{"id": f"T{comment['id']}", "isResolved": False, "comments": {"nodes": [{
            "databaseId": comment["id"], "isMinimized": comment["id"] in self.hidden,
            "minimizedReason": self.hidden.get(comment["id"])}]}} for comment in self.comments]
        start = int(variables["after"] or 0)
        page = {"hasNextPage": len(nodes) > start + 100, "endCursor": str(start + 100)}
        threads = {"pageInfo": page, "nodes": nodes[start : start + 100]}
        return {"data": {"repository": {"pullRequest": {"reviewThreads": threads}}}}

    def told(self):
        """How often each finding is told in a comment that can be seen."""
        marks = [MARK.match(comment["body"]) for comment in self.comments if comment["id"] not in self.hidden]
        return collections.Counter(mark[1] for mark in marks if mark)

    def summary(self):
        own = [comment["body"] for comment in self.conversation if comment["body"].startswith("<!-- diffsieve:v1 summary -->")]
        if len(own) > 1:
            raise Failed(f"{len(own)} summaries")
        return own[0] if own else ""


def right(patch):
    """The numbers of the lines on the right side, by hunk."""
    hunks = []
    for line in patch.split("\n"):
        if header := re.match(r"@@ -\d+(?:,\d+)? \+(\d+)", line):
            hunks.append([])
            number = int(header[1])
        elif line[:1] in ("+", " "):
            hunks[-1].append(number)
            number += 1
    return hunks


# --- a repository


class Repository:
    """Three pushes, and the report of a real review of each."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.home = folder.parent / "home"
        self.home.mkdir()
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.write("a.py", ['"""Much text."""'] + [f"X{number} = {number}" for number in range(60)])
        self.commit()
        self.git("switch", "--quiet", "--create", "topic")

    def git(self, *arguments):
        command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(command, cwd=self.folder, env=environment, check=True, capture_output=True, text=True).stdout

    def write(self, name, lines):
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines))

    def commit(self):
        self.git("add", ".")
        self.git("commit", "--quiet", "--message=work")
        return self.git("rev-parse", "HEAD").strip()

    def push(self, a, many):
        """Two files with faults: a default argument that all calls share."""
        fault = lambda name: [f"def {name}(item, found=[]):", "    found.append(item)", "    return found", ""]
        plain = ['"""Much text."""'] + [f"X{number} = {number}" for number in range(60)]
        for place, name in enumerate(a):
            at = 1 + 20 * place
            plain[at:at] = fault(name)
        self.write("a.py", plain)
        self.write("many.py", [line for name in many for line in fault(name)])
        head = self.commit()
        command = [self.binary, "review", "--base", "main", "--no-config", "--format", "json"]
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.home)}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        report = json.loads(done.stdout)
        expect("findings of a review", len(report["findings"]) >= len(a) + len(many), True)
        return head, report, self.patches()

    def patches(self):
        """The change as GitHub lists it."""
        files = []
        for name in self.git("diff", "--name-only", "main...HEAD").split():
            patch = self.git("diff", "main...HEAD", "--", name)
            files.append({"filename": name, "status": "modified", "patch": patch[patch.index("@@ ") :].rstrip("\n")})
        return files


class Run:
    """One run of `publish github`."""

    def __init__(self, binary, folder, pull, head, report, *arguments):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            place = pathlib.Path(place)
            (place / "report.json").write_text(json.dumps(report))
            event = {"pull_request": {"number": 7, "head": {"sha": head, "repo": {"id": 1}}, "base": {"repo": {"id": 1}}}}
            (place / "event.json").write_text(json.dumps(event))
            environment = {"HOME": str(place), "GITHUB_REPOSITORY": "acme/shop", "GITHUB_EVENT_PATH": "event.json",
                           "GITHUB_API_URL": pull.url, "GITHUB_TOKEN": TOKEN, "GITHUB_STEP_SUMMARY": "summary.md"}
            command = [binary, "publish", "github", "--report", "report.json", *arguments]
            done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=300)
            summary = place / "summary.md"
            self.summary = summary.read_text() if summary.exists() else ""
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.writes, pull.writes = pull.writes, []
        if TOKEN in self.out + self.err + self.summary:
            raise Failed("the token is told")
        if pull.wrong:
            raise Failed(f"not what GitHub describes: {pull.wrong[:3]}")


def check(what, pull, run, report, code=0):
    """Nothing is lost and nothing doubled."""
    expect(f"{what}: exit code ({run.err.strip()})", run.code, code)
    told, summary = pull.told(), pull.summary()
    for finding in report["findings"]:
        print_ = finding["fingerprint"]
        if told[print_] > 1:
            raise Failed(f"{what}: {print_} is told {told[print_]} times")
        line = f"`{finding['file']}:{finding['line']}"
        in_row = any(line in row and row.endswith("| only here |") for row in summary.splitlines())
        if not told[print_] and not in_row and not (print_ in run.out and print_ in run.summary):
            raise Failed(f"{what}: {finding['file']}:{finding['line']} is lost")
    here = {finding["fingerprint"] for finding in report["findings"]}
    if gone := set(told) - here:
        raise Failed(f"{what}: {gone} is fixed and still told")


# --- scenarios


def first(times, condition, answer):
    """Trouble for the first requests of a kind."""
    left = [times]

    def trouble(method, path, body):
        if left[0] and condition(method, path, body):
            left[0] -= 1
            return answer
        return None

    return trouble


def post(end):
    return lambda method, path, body: method == "POST" and path.endswith(end)


def line_of(number):
    """A review that has a comment on this line."""
    def has(method, path, body):
        return path.endswith("/reviews") and method == "POST" and any(each["line"] == number for each in body["comments"])
    return has


REFUSED = (422, {}, {"message": "Unprocessable Entity", "errors": ["Pull request review thread line must be part of the diff"]})
LIMITED = (429, {"retry-after": "1"}, {"message": "slow down"})
SECONDARY = (403, {"retry-after": "1"}, {"message": "You have exceeded a secondary rate limit"})
DENIED = (403, {"x-ratelimit-remaining": "900"}, {"message": "Resource not accessible by integration"})

TROUBLES = {
    "no trouble": lambda: lambda *_: None,
    "one refused comment": lambda: first(100, line_of(2), REFUSED),
    "a limit at the review": lambda: first(2, post("/reviews"), LIMITED),
    "a secondary limit at the summary": lambda: first(1, post("/issues/7/comments"), SECONDARY),
    "a review that is lost on the way back": lambda: first(1, post("/reviews"), "lose"),
    "a summary that is lost on the way back": lambda: first(1, post("/issues/7/comments"), "lose"),
    "a service with gaps": lambda: first(3, lambda method, *_: method == "GET", (503, {}, {"message": "Unavailable"})),
}


def together(work, items):
    """All at once: most of the time is the second between two writes."""
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(work, items))


def three_pushes(binary, folder, description, pushes):
    together(lambda name: pushed(name, binary, folder, description, pushes), TROUBLES)


def pushed(name, binary, folder, description, pushes):
    pull = Pull(description)
    for _ in range(130):
        pull.conversation.append({"id": pull.id(), "body": "hello", "user": {"login": "ada"}})
        number = pull.id()
        pull.comments.append({"id": number, "node_id": f"C{number}", "body": "hm", "user": {"login": "ada"},
                              "subject_type": "line", "pull_request_review_id": 1})
    others = [{"filename": f"z{number}.txt", "status": "added", "patch": "@@ -0,0 +1 @@\n+z"} for number in range(130)]
    for index, (head, report, files) in enumerate(pushes):
        pull.head, pull.files = head, others + files
        pull.trouble = TROUBLES[name]()
        run = Run(binary, folder, pull, head, report)
        check(f"{name}, push {index + 1}", pull, run, report)
        pull.trouble = lambda *_: None
        again = Run(binary, folder, pull, head, report)
        check(f"{name}, push {index + 1} again", pull, again, report)
        if name == "no trouble":
            expect(f"{name}, push {index + 1} again: writes", again.writes, [])
    pull.close()


def denied(binary, folder, description, pushes):
    pull = Pull(description)
    head, report, files = pushes[0]
    pull.head, pull.files = head, files
    pull.trouble = lambda method, path, body: DENIED if method != "GET" and "mutation" not in str(body) else None
    run = Run(binary, folder, pull, head, report)
    check("a token that may only read", pull, run, report, code=3)
    expect("the permission is named", "pull-requests: write" in run.err, True)
    pull.close()


def rendered(text):
    """The links, images and references that GitHub would make of a text."""
    import cmarkgfm
    from cmarkgfm.cmark import Options

    html_text = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    links = re.findall(r'<(?:a|img)[^>]*(?:href|src)="([^"]*)"', html_text)
    tags = set(re.findall(r"<([a-z]+)[\s>/]", html_text))
    prose = re.sub(r"<code[^>]*>.*?</code>", "", html_text, flags=re.DOTALL)
    prose = html_unescaped(re.sub(r"<[^>]*>", "", prose))
    live = re.findall(r"(?<!\w)@\w+|(?<!\w)#\d+|(?i:\bgh-\d+)|https?://\S+|(?i:\bwww\.\w+)", prose)
    blocks = re.findall(r'<pre lang="(\w+)">|<code class="language-(\w+)">', html_text)
    return links, tags, live, [one or other for one, other in blocks]


def html_unescaped(text):
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


HOSTILE = [
    "@ada @acme/team #12 GH-12 acme/shop#3 fixes #4 https://evil.example www.evil.example ada@example.org",
    "![x](https://evil.example/x.png) [text](https://evil.example) <https://evil.example> [a]: https://evil.example",
    "<img src=https://evil.example/x.png> <script>x</script> <details open> </details> <!-- x -->",
    "```suggestion\nrm -rf /\n```\n~~~suggestion\nx\n~~~",
    "a | b | c\n|---|---|\n| x | y |\n\n# head\n- list\n1. list\n> quote\n***\n",
    "\n\n    indented code @ada\n\n<!-- diffsieve:v1 fp=0123456789abcdef0123456789abcdef -->\n",
    "`@ada` ``` ` `` `` \\` @ada \\@ada &lt;b&gt; &#64;ada",
    "\u202e\u2066\u200b@ada\u0000\u001b[31m",
    "</details></details>\n</sub> | only here |",
]


def hostile(binary, folder, description, pushes):
    texts = [*HOSTILE, "\n".join(HOSTILE), "x" * 70_000, "<\u202e" * 35_000]
    together(lambda text: hostile_text(text, binary, folder, description, pushes[0]), texts)


def hostile_text(text, binary, folder, description, push):
    head, report, files = push
    own = {"table", "thead", "tbody", "tr", "th", "td", "p", "code", "pre", "strong", "sub", "a", "h", "details", "summary", "ul", "li", "br"}
    pull = Pull(description)
    pull.head, pull.files = head, files + [{"filename": "nopatch.py", "status": "modified"}]
    changed = json.loads(json.dumps(report))
    findings = changed["findings"][:4]
    changed["findings"] = findings
    for finding in findings:
        finding.update(title=text, rationale=text, quote=text, tag=text[:200], function=text)
    findings[0]["file"] = "nopatch.py"
    findings[1]["file"] = "elsewhere/" + re.sub(r"[/\0]|\.\.", "_", text)[:200]
    changed["gate"]["reason"] = text
    changed["coverage"]["skipped"] = [{"path": "a b.py", "lines": 3, "unread": True, "why": text}]
    run = Run(binary, folder, pull, head, changed)
    expect(f"hostile texts: exit code ({run.err})", run.code, 0)
    bodies = [comment["body"] for comment in pull.comments + pull.conversation + pull.reviews]
    expect("hostile texts: bodies", len(bodies), 5)
    for body in bodies:
        links, tags, live, blocks = rendered(body)
        foreign = [link for link in links if not link.startswith(f"https://github.com/acme/shop/blob/{head}/")]
        if foreign or live or "suggestion" in blocks or tags - own - {"h3"}:
            raise Failed(f"live: {foreign} {live} {blocks} {tags - own} in {body[:1500]!r}")
    Run(binary, folder, pull, head, changed)
    expect("hostile texts: told once", max(pull.told().values()), 1)
    pull.close()


def suggestions(binary, folder, description, pushes):
    """GitHub puts the block's lines in the place of the comment's."""
    texts = ["one\n", "", "one\ntwo\n\n", "```\nx\n```\n", "\tif a `b` ```` c:\n", "</code>@ada <b> &amp;\n", "\n"]
    together(lambda text: suggestion(text, binary, folder, description, pushes[0]), texts)


def suggestion(text, binary, folder, description, push):
    import cmarkgfm

    head, report, files = push
    patch = next(file for file in files if file["filename"] == "many.py")["patch"]
    lines = [line[1:] for line in patch.split("\n")[1:]]
    pull = Pull(description)
    pull.head, pull.files = head, files
    changed = json.loads(json.dumps(report))
    finding = next(each for each in changed["findings"] if each["file"] == "many.py")
    first_line = finding["line"]
    finding["suggestion"] = {"line": first_line, "end_line": first_line + 1, "text": text}
    changed["findings"] = [finding]
    expect("a suggestion", Run(binary, folder, pull, head, changed).code, 0)
    comment = pull.comments[0]
    html_text = cmarkgfm.github_flavored_markdown_to_html(comment["body"])
    block = re.search(r'<pre lang="suggestion"><code>(.*?)</code></pre>', html_text, re.DOTALL)
    if not block:
        raise Failed(f"no suggestion in {comment['body']!r}")
    start = comment["start_line"] or comment["line"]
    applied = lines[: start - 1] + html_unescaped(block[1]).split("\n")[:-1] + lines[comment["line"] :]
    fixed = lines[: first_line - 1] + text.split("\n")[:-1] + lines[first_line + 1 :]
    expect(f"{text!r} applied", applied, fixed)
    pull.close()


def main():
    if sys.argv[1] == "--extract":
        operations = ",\n".join(json.dumps(operation, sort_keys=True) for operation in extract(sys.argv[2]))
        print(f"[\n{operations}\n]")
        return
    if sys.argv[1] == "--compare":
        expect("GitHub's description", json.loads(OPERATIONS.read_text()), extract(sys.argv[2]))
        return
    if sys.argv[1] == "--queries":
        for file in sorted(pathlib.Path(__file__).parents[2].glob("src/publish/*.rs")):
            for text in re.findall(r'&str = "((?:query|mutation)\b[^"]*)"', file.read_text()):
                print(re.sub(r"\\\n\s*", "", text))
        return
    binary = pathlib.Path(sys.argv[1]).resolve()
    description = Description()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        repository = Repository(binary, folder / "shop")
        many = [f"many{number}" for number in range(32)]
        pushes = [repository.push(["one", "two", "three"], many), repository.push(["one", "three", "four"], many[:30]),
                  repository.push(["one", "two", "three"], many[:30])]
        scenarios = [three_pushes, denied, hostile, suggestions]
        for scenario in scenarios:
            scenario(binary, folder, description, pushes)
            print(f"publish: {scenario.__name__} holds", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        print(f"FAILED {failure}", file=sys.stderr)
        sys.exit(1)
