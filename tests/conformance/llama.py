"""llama.cpp with a model of random weights, behind its own server or llama-cpp-python's.

usage: llama.py BINARY FOLDER MODEL SERVER      SERVER is llama-server or -, for llama-cpp-python
                                                FOLDER takes the servers' logs

Nobody scripts what is answered: under the grammar that the server makes of the schema it is valid JSON, a cut one, or
bytes that the server itself cannot read. A relay notes each answer; the review must end as the last one deserves, and a
random claim must never fail the gate.
"""

import collections
import importlib.metadata
import json
import subprocess
import sys
import urllib.error
import urllib.request

import jsonschema

from loopback import KEY, Failed, Service, clean, expect, expect_gate, free_port, program, review, scratch, why

# The least that a configuration may allow: about half of the answers end in time.
CONFIG = '[model]\nprovider = "{provider}"\nbase_url = "{url}"\nanswer_tokens = 100\n[budget]\nseconds = 100\n'
REVIEWS = 8


class Relay(Service):
    """Hands every request on and notes what came back."""

    def __init__(self, target):
        super().__init__(self.hand_on)
        self.target, self.answers = target, []
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def hand_on(self, request):
        names = ("content-type", "authorization", "x-api-key", "anthropic-version")
        headers = {name: request["headers"][name] for name in names if name in request["headers"]}
        asked = urllib.request.Request(self.target + request["path"], json.dumps(request["body"]).encode(), headers)
        try:
            with self.opener.open(asked) as reply:
                status, text = reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        self.answers.append((request["body"], status, text))
        return status, text


def deserved(body, status, text):
    """What an answer must come to: a name for it, exit codes, and the reasons there may be for 3."""
    if status != 200:
        return "an error", {3}, {"malfunction"}
    choice = json.loads(text)["choices"][0]
    if choice["finish_reason"] == "length":
        return "cut", {3}, {"truncated"}
    expect("finish_reason", choice["finish_reason"], "stop")
    try:
        answer = json.loads(choice["message"]["content"])
        jsonschema.validate(answer, schema_in(body))
    except (json.JSONDecodeError, jsonschema.ValidationError):
        return "against the schema", {3}, {"malfunction", "no_object", "off_schema"}
    if answer == json.loads(clean("")):
        return "clean", {0}, set()
    if not answer["findings"]:
        return "neither findings nor none", {3}, {"off_schema"}
    # Of a file that is not there: dropped, or off the schema where the same answer says that there are none.
    return "claims", {0, 3}, {"off_schema"}


def schema_in(body):
    """The schema that a request carries; without one any object will do."""
    form = body.get("response_format", {})
    return form.get("json_schema", {}).get("schema") or form.get("schema") or {"type": "object"}


class Rig:
    def __init__(self, binary, place, url):
        self.binary, self.place, self.url = binary, place, url

    def ask(self, provider, key=KEY):
        """One review: exit code, report, and what the server answered."""
        with Relay(self.url) as relay:
            base = relay.url + ("" if provider == "anthropic" else "/v1")
            keys = {"OPENAI_API_KEY": key, "ANTHROPIC_API_KEY": key, "LLAMA_API_KEY": key}
            config = CONFIG.format(provider=provider, url=base)
            code, report = review(self.binary, self.place, f"{provider}/random", keys, config)
            return code, report, relay.answers


def check_constrained(rig, provider, reviews=REVIEWS):
    """However an answer ends, the review says so."""
    seen = collections.Counter()
    for _ in range(reviews):
        code, report, answers = rig.ask(provider)
        name, codes, _ = deserved(*answers[-1])
        # Where it was asked again in vain the reason is that of the first answer.
        reasons = set().union(*(deserved(*answer)[2] for answer in answers))
        if code not in codes or (code == 3 and not any(reason in why(report) for reason in reasons)):
            raise Failed(f"{name}: exit code {code}, {why(report)!r}, {answers[-1][1:]}")
        expect_gate(code, report, code)
        seen[f"{name} -> {code}"] += 1
    print(f"  {provider}: {dict(seen)}")


def check_ladder(rig):
    """A server that takes no schema as `json_schema` is asked for an object instead, and within the run for nothing else."""
    code, report, answers = rig.ask("openai")
    forms = [(body.get("response_format", {}).get("type"), status) for body, status, _ in answers]
    expect("the forms it was asked for", forms[:3], [("json_schema", 500), ("json_schema", 500), ("json_object", 200)])
    expect_gate(code, report, code if code == 0 else 3)
    print(f"  openai: {forms} -> {code} {why(report)[:80]}")


def check_unconstrained(rig):
    """Messages take the schema and ignore it: bytes at random are no answer."""
    code, report, answers = rig.ask("anthropic")
    expect("status", answers[-1][1], 200)
    expect_gate(code, report, 3)
    print(f"  anthropic: {json.loads(answers[-1][2])['stop_reason']} -> {code} {why(report)[:80]}")


def check_refused(rig, provider, key, word):
    code, report, answers = rig.ask(provider, key)
    expect_gate(code, report, 3)
    if word not in why(report):
        raise Failed(f"{why(report)!r} does not say {word}: {answers[-1][1:]}")
    print(f"  {provider}: status {answers[-1][1]} -> {code} {why(report)[:80]}")


def commands(server, model):
    """How to start a server: with a window of so many tokens, on a port."""
    if server == "-":
        serve = [sys.executable, "-m", "llama_cpp.server", "--model", model, "--host", "127.0.0.1", "--api_key", KEY]
        return lambda window, port: [*serve, "--n_ctx", str(window), "--port", str(port)]
    serve = [server, "--model", model, "--host", "127.0.0.1", "--parallel", "1", "--no-ui", "--api-key", KEY]
    return lambda window, port: [*serve, "--ctx-size", str(window), "--port", str(port)]


def version(server):
    if server == "-":
        return f"llama-cpp-python {importlib.metadata.version('llama-cpp-python')}"
    done = subprocess.run([server, "--version"], capture_output=True, text=True)
    return f"llama-server {(done.stdout + done.stderr).splitlines()[0].removeprefix('version: ')}"


def main():
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    binary, folder, model, server = sys.argv[1:]
    command = commands(server, model)
    preset, failed = ("llama-cpp-python" if server == "-" else "llama-server"), 0
    # The prompt has some 5,000 bytes, and each is a token.
    large = [(check_constrained, preset)]
    large += [(check_ladder,)] if server == "-" else [(check_constrained, "openai", 3), (check_unconstrained,)]
    small = [(check_refused, preset, KEY, "too_large"), (check_refused, preset, "sk-wrong", "unauthorised")]
    health = "docs" if server == "-" else "health"
    with scratch() as place:
        for window, checks in ((16384, large), (2048, small)):
            port = free_port()
            url = f"http://127.0.0.1:{port}"
            print(f"{version(server)}, a window of {window} tokens")
            with program(command(window, port), f"{url}/{health}", f"{folder}/{preset}.log"):
                rig = Rig(binary, place, url)
                for check, *arguments in checks:
                    try:
                        check(rig, *arguments)
                    except Failed as error:
                        print(f"{preset}, {check.__name__} {arguments[:1]}: FAILED {error}", file=sys.stderr)
                        failed += 1
    sys.exit(1 if failed else 0)


main()
