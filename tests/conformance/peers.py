"""Requests and answers against the services' own Python packages, without any of the services.

usage: peers.py BINARY

A server on loopback stands in for each service, and BINARY reviews a scratch repository with it. What it sends is parsed
with the request types of the service's package: a key they do not know, or a value they read otherwise, fails. The package's
own client then sends the same body to the same address: path and credentials must be the same. What the server says
is written by the package's response types.
"""

import collections.abc
import importlib.metadata
import json
import sys
import time

import anthropic
import groq
import ollama
import openai
import pydantic
from anthropic import types as messages
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from groq.types import chat as groq_chat
from groq.types.chat.completion_create_params import CompletionCreateParams as GroqParams
from mistralai.client import Mistral
from mistralai.client import models as mistral
from ollama._types import ChatRequest
from openai.types import chat
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.completion_usage import CompletionUsage, PromptTokensDetails

from loopback import ANSWER_TOKENS, KEY, PROMPT_TOKENS, Failed, Service, clean, expect, expect_gate, review, scratch, sure, why

CACHED = 400


def plain(value):
    """Lists for whatever is iterable: pydantic reads iterables lazily, and says what is wrong only then."""
    if isinstance(value, collections.abc.Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, collections.abc.Iterable) and not isinstance(value, str):
        return [plain(each) for each in value]
    return value


def differences(sent, understood, at=""):
    """Where what was understood is not what was sent: unknown keys fall out, wrong types are converted."""
    if isinstance(sent, dict) and isinstance(understood, dict):
        for key in sent.keys() | understood.keys():
            if key not in understood:
                yield f"{at}/{key}"
            else:
                yield from differences(sent.get(key), understood[key], f"{at}/{key}")
    elif isinstance(sent, list) and isinstance(understood, list) and len(sent) == len(understood):
        for index, (one, other) in enumerate(zip(sent, understood)):
            yield from differences(one, other, f"{at}/{index}")
    elif sent != understood or type(sent) is not type(understood):
        yield at


def typed(type_):
    """Reads a body as a TypedDict of a package."""
    adapter = pydantic.TypeAdapter(type_)
    return lambda body: plain(adapter.validate_python(body, strict=True))


def modelled(model):
    """Reads a body as a pydantic model of a package."""
    return lambda body: model.model_validate(body).model_dump(mode="json", by_alias=True, exclude_unset=True)


# --- the dialects, each by its package: how it reads a request, how it writes an answer, how its client asks


class OpenAi:
    package = "openai"
    # Whether the key is sent otherwise than the package's client sends it, for a reason.
    own_key = False
    # Keys of the service that its package does not know.
    unknown = ()
    read = staticmethod(typed(CompletionCreateParamsNonStreaming))
    # What each way to end an answer must come to; a word of the reason where there is none.
    endings = {"length": "truncated", "refusal": "refused", "content_filter": "refused", "tool_calls": "malfunction"}

    @staticmethod
    def page(body):
        return body["messages"][1]["content"]

    @staticmethod
    def write(text, ending):
        refusal = "I cannot help with that." if ending == "refusal" else None
        message = chat.ChatCompletionMessage(role="assistant", content=None if refusal else text, refusal=refusal)
        choice = chat.chat_completion.Choice(index=0, message=message, logprobs=None,
                                             finish_reason="stop" if refusal else ending)
        usage = CompletionUsage(prompt_tokens=PROMPT_TOKENS, completion_tokens=ANSWER_TOKENS,
                                total_tokens=PROMPT_TOKENS + ANSWER_TOKENS,
                                prompt_tokens_details=PromptTokensDetails(cached_tokens=CACHED))
        return chat.ChatCompletion(id="chatcmpl-1", object="chat.completion", created=1, model="m", choices=[choice],
                                   usage=usage).model_dump_json()

    @staticmethod
    def ask(url, body):
        client = openai.OpenAI(base_url=url, api_key=KEY, max_retries=0)
        client.chat.completions.create(**body)


class Azure(OpenAi):
    """The package's client sends a bearer token, which Azure takes too, but then as the token of a user."""

    own_key = True


class OpenRouter(OpenAi):
    """OpenAI's types know no `provider`; the field is read here and nowhere else."""

    @staticmethod
    def read(body):
        provider = body["provider"]
        expect("provider", provider, {"require_parameters": True, "data_collection": "deny", "zdr": True})
        return {**OpenAi.read({key: value for key, value in body.items() if key != "provider"}), "provider": provider}

    @staticmethod
    def ask(url, body):
        body = dict(body)
        OpenAi.ask(url, {"extra_body": {"provider": body.pop("provider")}, **body})


class LlamaCppPython(OpenAi):
    """`json_object` with the schema beside it, which only that server knows."""

    @staticmethod
    def read(body):
        form = dict(body["response_format"])
        schema = form.pop("schema")
        understood = OpenAi.read({**body, "response_format": form})
        return {**understood, "response_format": {**understood["response_format"], "schema": schema}}


class Groq(OpenAi):
    package = "groq"
    read = staticmethod(typed(GroqParams))
    endings = {"length": "truncated", "tool_calls": "malfunction"}

    @staticmethod
    def write(text, ending):
        message = groq_chat.ChatCompletionMessage(role="assistant", content=text)
        choice = groq_chat.chat_completion.Choice(index=0, message=message, finish_reason=ending)
        usage = groq.types.CompletionUsage(prompt_tokens=PROMPT_TOKENS, completion_tokens=ANSWER_TOKENS, total_time=0.5,
                                           total_tokens=PROMPT_TOKENS + ANSWER_TOKENS)
        return groq_chat.ChatCompletion(id="chatcmpl-1", object="chat.completion", created=1, model="m", choices=[choice],
                                        usage=usage).model_dump_json()

    @staticmethod
    def ask(url, body):
        # Its base URL is the host; the path below it is its own.
        client = groq.Groq(base_url=url.removesuffix("/openai/v1"), api_key=KEY, max_retries=0)
        client.chat.completions.create(**body)


class MistralAi(OpenAi):
    package = "mistralai"
    read = staticmethod(modelled(mistral.ChatCompletionRequest))
    endings = {"length": "truncated", "model_length": "truncated", "error": "malfunction", "thinking": ""}

    @staticmethod
    def write(text, ending):
        content = text
        if ending == "thinking":
            thought = mistral.ThinkChunk(thinking=[mistral.TextChunk(text="A {draft}.")])
            content, ending = [thought, mistral.TextChunk(text=text)], "stop"
        choice = mistral.ChatCompletionChoice(index=0, finish_reason=ending,
                                              message=mistral.AssistantMessage(content=content))
        usage = mistral.UsageInfo(prompt_tokens=PROMPT_TOKENS, completion_tokens=ANSWER_TOKENS,
                                  total_tokens=PROMPT_TOKENS + ANSWER_TOKENS)
        answer = mistral.ChatCompletionResponse(id="1", object="chat.completion", model="m", created=1, choices=[choice],
                                                usage=usage)
        return answer.model_dump_json(by_alias=True)

    @staticmethod
    def ask(url, body):
        Mistral(server_url=url.removesuffix("/v1"), api_key=KEY).chat.complete(**body)


class Anthropic:
    """Its client has sent the key as a bearer token since 2.0; `x-api-key` is what every server of the dialect takes."""

    package = "anthropic"
    own_key = True
    unknown = ()
    read = staticmethod(typed(MessageCreateParamsNonStreaming))
    endings = {"max_tokens": "truncated", "model_context_window_exceeded": "truncated", "pause_turn": "truncated",
               "refusal": "refused", "tool_use": "malfunction", "stop_sequence": "unknown_outcome", "thinking": ""}

    @staticmethod
    def page(body):
        return body["messages"][0]["content"]

    @staticmethod
    def write(text, ending):
        content = [messages.TextBlock(type="text", text=text)]
        stop, details = "end_turn" if ending in ("stop", "thinking") else ending, None
        if ending == "thinking":
            content.insert(0, messages.ThinkingBlock(type="thinking", thinking="A {draft}.", signature="x"))
        if ending == "refusal":
            content, details = [], messages.RefusalStopDetails(type="refusal", category="cyber", explanation="no")
        usage = messages.Usage(input_tokens=PROMPT_TOKENS - CACHED, output_tokens=ANSWER_TOKENS,
                               cache_read_input_tokens=CACHED - 100, cache_creation_input_tokens=100)
        return messages.Message(id="msg_1", type="message", role="assistant", model="m", content=content, stop_reason=stop,
                                stop_details=details, usage=usage).model_dump_json()

    @staticmethod
    def ask(url, body):
        anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=0).messages.create(**body)


class Ollama:
    package = "ollama"
    own_key = False
    # The server has these two (api.ChatRequest). Without them it may drop a part of the diff.
    unknown = ("truncate", "shift")
    endings = {"length": "truncated", "load": "unknown_outcome", "prose": "no_object", "thinking": ""}

    @staticmethod
    def read(body):
        own = {key: body.get(key) for key in Ollama.unknown}
        expect("truncate and shift", own, {"truncate": False, "shift": False})
        rest = {key: value for key, value in body.items() if key not in own}
        # Its requests take any mapping for these.
        inner = {"messages": [modelled(ollama.Message)(message) for message in body["messages"]],
                 "options": modelled(ollama.Options)(body["options"])}
        return {**modelled(ChatRequest)(rest), **inner, **own}

    @staticmethod
    def page(body):
        return body["messages"][1]["content"]

    @staticmethod
    def write(text, ending):
        # It has no sign for a refusal but the words.
        text = "I cannot help with that." if ending == "prose" else text
        message = ollama.Message(role="assistant", content=text, thinking="A {draft}." if ending == "thinking" else None)
        return ollama.ChatResponse(model="m", created_at="2026-01-05T09:00:00Z", done=True, message=message,
                                   done_reason="stop" if ending in ("prose", "thinking") else ending,
                                   total_duration=1, prompt_eval_count=PROMPT_TOKENS,
                                   eval_count=ANSWER_TOKENS).model_dump_json()

    @staticmethod
    def ask(url, body):
        body = {key: value for key, value in body.items() if key not in Ollama.unknown}
        ollama.Client(host=url).chat(**body)


BEARER = {"authorization": f"Bearer {KEY}"}
# Preset, dialect, variables (with the service's URL for {url}), the base URL below it, and the credentials it must be sent.
# Without a variable for the address it stands in the user's own file.
PEERS = [
    ("openai", OpenAi, {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": KEY}, "/v1", BEARER),
    ("anthropic", Anthropic, {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": KEY}, "",
     {"x-api-key": KEY, "anthropic-version": "2023-06-01"}),
    ("ollama", Ollama, {"OLLAMA_HOST": "{url}"}, "", {}),
    ("azure", Azure, {"AZURE_OPENAI_ENDPOINT": "{url}", "AZURE_OPENAI_API_KEY": KEY}, "/openai/v1", {"api-key": KEY}),
    ("groq", Groq, {"GROQ_BASE_URL": "{url}", "GROQ_API_KEY": KEY}, "/openai/v1", BEARER),
    ("litellm", OpenAi, {"LITELLM_PROXY_API_BASE": "{url}/v1", "LITELLM_PROXY_API_KEY": KEY}, "/v1", BEARER),
    ("mistral", MistralAi, {"MISTRAL_API_KEY": KEY}, "/v1", BEARER),
    ("gemini", OpenAi, {"GEMINI_API_KEY": KEY}, "/v1beta/openai", BEARER),
    ("deepseek", OpenAi, {"DEEPSEEK_API_KEY": KEY}, "", BEARER),
    ("openrouter", OpenRouter, {"OPENROUTER_API_KEY": KEY}, "/api/v1", BEARER),
    ("bedrock", OpenAi, {"AWS_BEARER_TOKEN_BEDROCK": KEY}, "/openai/v1", BEARER),
    ("vllm", OpenAi, {"VLLM_API_KEY": KEY}, "/v1", BEARER),
    ("llama-server", OpenAi, {"LLAMA_API_KEY": KEY}, "/v1", BEARER),
    ("llama-cpp-python", LlamaCppPython, {}, "/v1", {}),
]
# Credentials and what goes with them, in whichever way they are sent.
CREDENTIALS = {"authorization", "x-api-key", "api-key", "anthropic-version"}


def ask(binary, place, peer, say, ending):
    """One review by a peer whose every answer is `say`'s text, ended like this."""
    name, dialect, variables, base, _ = peer
    answer = lambda request: (200, dialect.write(say(dialect.page(request["body"])), ending))
    with Service(answer) as service:
        config = ""
        if "{url}" not in "".join(variables.values()):
            config = f'[model]\nprovider = "{name}"\nbase_url = "{service.url}{base}"\n'
        filled = {key: value.format(url=service.url) for key, value in variables.items()}
        code, report = review(binary, place, f"{name}/m", filled, config)
        return code, report, service.requests


def check_requests(peer, requests):
    _, dialect, _, base, credentials = peer
    for request in requests:
        body = request["body"]
        expect("what the package's types make of the request differs at", list(differences(body, dialect.read(body))), [])
        sent = {name: value for name, value in request["headers"].items() if name in CREDENTIALS}
        expect("credentials", sent, credentials)
    check_reader(dialect, requests[0]["body"])
    check_client(dialect, base, requests[0])


def check_reader(dialect, body):
    """The types do see a key too many, outside and inside, and a number that is a text."""
    limit = next(key for key in ("max_tokens", "max_completion_tokens", "options") if key in body)
    inside = [{**message, "surprise": 1} for message in body["messages"]]
    for wrong in ({**body, "surprise": 1}, {**body, "messages": inside}, {**body, limit: "many"}):
        try:
            seen = list(differences(wrong, dialect.read(wrong)))
        except pydantic.ValidationError:
            continue
        if not seen:
            raise Failed(f"the types of {dialect.package} let a wrong body pass")


def check_client(dialect, base, request):
    """The package's own client sends the same body to the same path with the same key."""
    with Service(lambda _: (200, dialect.write("{}", "stop"))) as service:
        dialect.ask(service.url + base, request["body"])
        theirs = service.requests[0]
    expect("path, against the package's client", request["path"], theirs["path"])
    # It may spell out what is the default.
    added = theirs["body"].keys() - request["body"].keys()
    expect("body, against the package's client", {key: theirs["body"][key] for key in theirs["body"] if key not in added},
           {key: value for key, value in request["body"].items() if key not in dialect.unknown})
    if "authorization" in request["headers"] and not dialect.own_key:
        expect("key, against the package's client", request["headers"]["authorization"], theirs["headers"]["authorization"])


def check_usage(report, requests):
    run = report["run"]
    counted = (run["requests"], run["prompt_tokens"], run["completion_tokens"])
    expect("requests and tokens", counted, (requests, requests * PROMPT_TOKENS, requests * ANSWER_TOKENS))


def check(binary, place, peer, endings):
    """The number of requests that were read. `endings` are ways to end an answer, with the reason they must lead to."""
    name = peer[0]
    count = 0
    rounds = [("stop", clean, 0, ""), ("stop", sure, 1, "")]
    # Even what would be a whole and clean answer is none where the service says that it is not.
    rounds += [(ending, clean, 3, word) if word else (ending, sure, 1, "") for ending, word in endings.items()]
    for ending, say, wanted, word in rounds:
        code, report, requests = ask(binary, place, peer, say, ending)
        expect_gate(code, report, wanted)
        if word not in why(report):
            raise Failed(f"{ending}: {why(report)!r} does not say {word}")
        expect("provider", report["model"]["provider"], name)
        if not word:
            check_usage(report, 1 + wanted)
        check_requests(peer, requests)
        count += len(requests)
    return count


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    began, failed, ended = time.monotonic(), 0, []
    with scratch() as place:
        for peer in PEERS:
            name, dialect, *_ = peer
            package = f"{dialect.package} {importlib.metadata.version(dialect.package)}"
            # The ways to end belong to the dialect: once for each will do.
            endings = {} if dialect.endings in ended else dialect.endings
            ended.append(endings)
            try:
                count = check(sys.argv[1], place, peer, endings)
                print(f"{name}: {count} requests by the types of {package}, answers ended by {', '.join(['stop', *endings])}")
            except (Failed, pydantic.ValidationError) as error:
                print(f"{name}: FAILED against {package}: {error}", file=sys.stderr)
                failed += 1
    print(f"{len(PEERS) - failed} of {len(PEERS)} presets pass, {time.monotonic() - began:.0f} s")
    sys.exit(1 if failed else 0)


main()
