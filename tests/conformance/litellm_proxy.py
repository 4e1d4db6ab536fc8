"""A LiteLLM proxy between BINARY and a service that we play.

usage: litellm_proxy.py BINARY FOLDER      FOLDER takes the proxy's log

Both dialects go in (Chat Completions, Messages) and both come out, each to each, so that the proxy translates requests,
schemas, endings and errors. Run by the Python that `litellm[proxy]` is installed for.
"""

import importlib.metadata
import json
import pathlib
import sys

from loopback import (ANSWER_TOKENS, KEY, PROMPT_TOKENS, Failed, Service, clean, expect_gate, free_port, program, review,
                      scratch, sure, why)

# How the two upstream dialects say that an answer is whole, cut, or none.
ENDINGS = {"chat": {"whole": "stop", "cut": "length", "declined": "content_filter"},
           "messages": {"whole": "end_turn", "cut": "max_tokens", "declined": "refusal"}}


def answer_chat(text, ending):
    choice = {"index": 0, "message": {"role": "assistant", "content": text, "refusal": None},
              "finish_reason": ENDINGS["chat"][ending]}
    usage = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": ANSWER_TOKENS, "total_tokens": PROMPT_TOKENS + ANSWER_TOKENS}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "up", "choices": [choice], "usage": usage}


def answer_messages(text, ending, tool):
    content = [{"type": "text", "text": text}]
    if tool:
        # For models that it takes to have no structured output the proxy makes the schema a tool and forces its use.
        given = json.loads(text)
        if ending == "cut":
            given.popitem()
        content = [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": given}]
    if ending == "declined":
        content = []
    details = {"type": "refusal", "category": "cyber", "explanation": "no"} if ending == "declined" else None
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "up", "content": content, "stop_sequence": None,
            "stop_reason": "tool_use" if tool and ending == "whole" else ENDINGS["messages"][ending], "stop_details": details,
            "usage": {"input_tokens": PROMPT_TOKENS, "output_tokens": ANSWER_TOKENS}}


class Upstream:
    """What the service behind the proxy does next; the proxy stays up for all of it."""

    def __init__(self):
        self.say, self.ending, self.status, self.error = clean, "whole", 200, None

    def __call__(self, request):
        if self.status != 200:
            return self.status, json.dumps(self.error)
        body = request["body"]
        if request["path"].endswith("/messages"):
            tool = body.get("tool_choice", {}).get("name")
            return 200, json.dumps(answer_messages(self.say(text_of(body["messages"][-1])), self.ending, tool))
        if request["path"].endswith("/chat/completions"):
            return 200, json.dumps(answer_chat(self.say(text_of(body["messages"][-1])), self.ending))
        return 404, json.dumps({"error": {"message": f"nothing at {request['path']}"}})


def text_of(message):
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def configuration(folder, url):
    models = [("chat", {"model": "openai/up", "api_base": f"{url}/v1", "api_key": "up"}),
              ("messages", {"model": "anthropic/up", "api_base": url, "api_key": "up"}),
              ("messages-native", {"model": "anthropic/claude-sonnet-4-5", "api_base": url, "api_key": "up"}),
              ("mock", {"model": "openai/up", "api_key": "up", "mock_response": clean("")})]
    file = pathlib.Path(folder) / "litellm.yaml"
    # JSON is YAML.
    file.write_text(json.dumps({
        "model_list": [{"model_name": name, "litellm_params": params} for name, params in models],
        "litellm_settings": {"num_retries": 0, "use_chat_completions_url_for_anthropic_messages": True},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        "general_settings": {"master_key": KEY},
    }))
    return file


def schema_in(body):
    """The schema that the upstream is sent, in whichever dialect."""
    chat = body.get("response_format", {}).get("json_schema", {}).get("schema")
    tools = body.get("tools", [{}])[0].get("input_schema")
    return chat or tools or body.get("output_config", {}).get("format", {}).get("schema") or body.get("output_format", {}).get("schema")


class Proxy:
    def __init__(self, binary, place, url, upstream, service):
        self.binary, self.place, self.url, self.upstream, self.service = binary, place, url, upstream, service

    def ask(self, dialect, model, key=KEY):
        """A review through one dialect of the proxy."""
        variables = {"LITELLM_PROXY_API_BASE": f"{self.url}/v1", "LITELLM_PROXY_API_KEY": key}
        if dialect == "anthropic":
            variables = {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": key}
        del self.service.requests[:]
        return review(self.binary, self.place, f"{dialect}/{model}", variables, "[budget]\nseconds = 20\n")


def check_answers(proxy, dialect, model):
    upstream = proxy.upstream
    # Of a tool that it made itself the proxy always says `stop`: only the schema tells that such an answer is cut.
    hidden = (dialect, model) == ("litellm", "messages")
    rounds = [(sure, "whole", 1, ""), (clean, "whole", 0, ""), (clean, "cut", 3, "off_schema" if hidden else "truncated"),
              (clean, "declined", 3, "refused")]
    for upstream.say, upstream.ending, wanted, word in rounds:
        code, report = proxy.ask(dialect, model)
        expect_gate(code, report, wanted)
        if word not in why(report):
            raise Failed(f"{upstream.ending}: {why(report)!r} does not say {word}")
        if not all(schema_in(request["body"]) for request in proxy.service.requests):
            raise Failed("the proxy did not hand the schema on")
        print(f"  {upstream.ending}: exit code {code} {why(report)[:90]}")
    upstream.say, upstream.ending = clean, "whole"


def check_errors(proxy, dialect, model):
    upstream = proxy.upstream
    kinds = [(429, "rate_limit_error", "unavailable"), (503, "api_error", "unavailable"), (401, "authentication_error", ""),
             (400, "invalid_request_error", "")]
    for upstream.status, kind, word in kinds:
        upstream.error = {"type": "error", "error": {"type": kind, "message": "no", "code": None}}
        code, report = proxy.ask(dialect, model)
        expect_gate(code, report, 3)
        if word not in why(report):
            raise Failed(f"{upstream.status}: {why(report)!r} does not say {word}")
        print(f"  {upstream.status}: exit code {code} {why(report)[:90]}")
    upstream.status = 200


def check_keys(proxy, dialect):
    code, report = proxy.ask(dialect, "chat", "sk-wrong-geheim-87654321")
    expect_gate(code, report, 3)
    if "unauthorised" not in why(report):
        raise Failed(f"a wrong key: {why(report)!r}")
    code, report = proxy.ask(dialect, "nowhere")
    expect_gate(code, report, 3)
    print(f"  unknown model: exit code {code} {why(report)[:90]}")


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    binary, folder = sys.argv[1:]
    version = importlib.metadata.version("litellm")
    command = str(pathlib.Path(sys.executable).parent / "litellm")
    upstream, failed = Upstream(), 0
    # It would fetch its list of models otherwise.
    variables = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with scratch() as place, Service(upstream) as service:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        serve = [command, "--config", str(configuration(folder, service.url)), "--host", "127.0.0.1", "--port", str(port)]
        with program(serve, f"{url}/health/liveliness", f"{folder}/litellm.log", variables):
            proxy = Proxy(binary, place, url, upstream, service)
            checks = [(check_answers, dialect, model) for dialect in ("litellm", "anthropic")
                      for model in ("chat", "messages", "messages-native")]
            checks += [(check_errors, "litellm", "chat"), (check_errors, "anthropic", "messages")]
            checks += [(check_keys, "litellm"), (check_keys, "anthropic")]
            for check, *arguments in checks:
                name = f"LiteLLM {version}, {check.__name__} {' to '.join(arguments)}"
                print(name)
                try:
                    check(proxy, *arguments)
                except Failed as error:
                    print(f"{name}: FAILED {error}", file=sys.stderr)
                    failed += 1
                upstream.say, upstream.ending, upstream.status = clean, "whole", 200
            expect_gate(*proxy.ask("litellm", "mock"), 0)
    sys.exit(1 if failed else 0)


main()
