"""What the checks against real peers share: a recording service on loopback, a scratch repository, one review of it."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

KEY = "sk-loopback-geheim-12345678"
# What every answer says it cost.
PROMPT_TOKENS, ANSWER_TOKENS = 1000, 50
BEFORE = "import os\n"
AFTER = "import os\n\n\ndef mean(values):\n    return sum(values) / count(values)  # FAULT\n"


class Failed(Exception):
    """A check that did not hold."""


def expect(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: {found!r} instead of {wanted!r}")


class Service:
    """Records every request (`path`, `headers`, `body`) and lets `say` answer it with a status and a body."""

    def __init__(self, say):
        self.requests = []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            # Services keep connections.
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = {"path": self.path, "headers": headers, "body": body}
                service.requests.append(request)
                status, answer = say(request)
                data = answer.encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        # It is asked to stop a hundred times: half a second each is the default.
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


# --- what a model would say


def is_opinion(page):
    """Whether a second opinion is asked for: there is a claim to score."""
    return bool(claims(page))


def claims(page):
    """The claims of a request for a second opinion, one JSON object a line."""
    objects = [json.loads(line) for line in page.splitlines() if line.startswith("{") and line.endswith("}")]
    return [each for each in objects if "id" in each]


def finding(page, tag):
    """A finding on each added line with the word FAULT."""
    file, found = "", []
    for line in page.splitlines():
        if mark := re.match(r"<<\w+ FILE ([^ ,>]+)", line):
            file = mark[1]
        elif (added := re.match(r"(\d+)\+ (.*)", line)) and "FAULT" in added[2]:
            found.append({"file": file, "line": int(added[1]), "quote": added[2], "tag": tag, "suggestion": "",
                          "rationale": "For an empty input this fails; could it be checked first?"})
    return json.dumps({"findings": found, "no_comment": not found})


def sure(page):
    """The text of an answer that finds the fault, or is sure of it."""
    if not is_opinion(page):
        return finding(page, "LogicError")
    scores = [{"id": claim["id"], "motivation": "checked", "status": "valid", "line_matching": True,
               "sentiment": "negative", "score": 9} for claim in claims(page)]
    return json.dumps({"scores": scores})


def clean(_):
    return json.dumps({"findings": [], "no_comment": True})


# --- one review


@contextlib.contextmanager
def scratch():
    """A repository with a branch that adds one faulty function, and a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        repository, home = place / "repository", place / "home"
        (home / ".config/diffsieve").mkdir(parents=True)
        repository.mkdir()
        git = ["git", "-C", str(repository), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]

        def run(*arguments):
            subprocess.run([*git, *arguments], check=True, capture_output=True, env=environment(home))

        run("init", "--initial-branch=main")
        (repository / "a.py").write_text(BEFORE)
        run("add", ".")
        run("commit", "--message=one")
        run("switch", "--create", "topic")
        (repository / "a.py").write_text(AFTER)
        run("commit", "--all", "--message=two")
        yield repository, home


def environment(home, **variables):
    """Nothing of the caller's but the path: neither keys nor a proxy."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", **variables}


def review(binary, place, model, variables, config="", limit=120):
    """The exit code and the JSON report of a review by `model`; `config` is the user's own file."""
    repository, home = place
    (home / ".config/diffsieve/config.toml").write_text(config)
    command = [pathlib.Path(binary).resolve(), "review", "--model", model, "--cache", "off", "--format", "json"]
    try:
        done = subprocess.run(command, cwd=repository, env=environment(home, **variables), capture_output=True, text=True,
                              timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failed(f"the review took more than {limit} s") from None
    if KEY in done.stdout + done.stderr:
        raise Failed("the key is in what was written")
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Failed(f"no report, exit code {done.returncode}: {done.stderr.strip()}") from None


def why(report):
    """The reason in a report why lines were not reviewed."""
    skipped = report["coverage"]["skipped"]
    return skipped[0]["why"] if skipped else ""


def expect_gate(code, report, wanted):
    """The exit code, and the same said by the report: `wanted` is 0, 1, or 3 with the lines named that nobody saw."""
    expect(f"exit code ({report['gate']['reason']}; {why(report)})", code, wanted)
    verdict = {0: "pass", 1: "fail", 3: "incomplete"}[wanted]
    expect("verdict", (report["gate"]["verdict"], report["gate"]["complete"]), (verdict, wanted != 3))
    found = [(each["tag"], each["file"], each["line"], each["score"]) for each in report["findings"]]
    expect("findings", found, [("LogicError", "a.py", 5, 9)] if wanted == 1 else [])


# --- servers of others


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def program(command, health, log, variables=None, limit=120):
    """Runs a server until the block ends; it counts as up once `health` answers."""
    environment = {**os.environ, **(variables or {})}
    with open(log, "w") as out, subprocess.Popen(command, stdout=out, stderr=out, env=environment) as server:
        try:
            wait_for(health, server, log, limit)
            yield
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()


def wait_for(health, server, log, limit):
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + limit
    while time.monotonic() < end and server.poll() is None:
        try:
            with direct.open(health, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    tail = pathlib.Path(log).read_text(errors="replace")[-2000:]
    raise Failed(f"the server did not start: {tail}")
