#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pypi.py PTERIS SOURCE VENV: the packages openai and ollama of PyPI as clients, in VENV, which is made first."""

import json
import os
import subprocess
import sys

from serving import Serving, Tap

PACKAGES = ["openai", "ollama"]
CHAT, SPEECH, VECTORS = "smollm2-135m-instruct", "whisper-base", "all-minilm-l6-v2"
ASK = [{"role": "user", "content": "How tall is a fern?"}]
TOOLS = [{"type": "function", "function": {"name": "measure", "parameters": {
    "type": "object", "properties": {"plant": {"type": "string"}}}}}]
SCHEMA = {"type": "object", "properties": {"tall": {"type": "boolean"}, "name": {"enum": ["fern", "moss"]}},
          "required": ["tall", "name"], "additionalProperties": False}
FORM = {"type": "json_schema", "json_schema": {"name": "fern", "schema": SCHEMA, "strict": True}}
# Tokens of the small model that answers: with these biases it begins a thought, and ends it at once.
THINKS = {"766": 50, "767": 100}


def use_packages(venv):
    """Goes on in the environment with the packages."""
    python = os.path.join(venv, "bin", "python")
    if os.path.abspath(sys.executable) == os.path.abspath(python):
        return
    if not os.path.exists(os.path.join(venv, "complete")):
        subprocess.run([sys.executable, "-m", "venv", venv], check=True, stdout=sys.stderr)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True, stdout=sys.stderr)
        open(os.path.join(venv, "complete"), "w", encoding="utf-8").close()
    os.execv(python, [python, *sys.argv])


def fault_of(call, kind):
    try:
        call()
    except kind as fault:
        return fault
    return None


def is_fern(answer):
    """Whether the answer is JSON of SCHEMA."""
    value = json.loads(answer.choices[0].message.content) if answer.choices[0].finish_reason == "stop" else {}
    return isinstance(value.get("tall"), bool) and value.get("name") in ("fern", "moss")


def ended(call):
    """The first answer that ends by itself: the model, which knows nothing, may fill its context with space."""
    for seed in range(1, 17):
        answer = call(seed)
        if answer.choices[0].finish_reason != "length":
            break
    return answer


def is_call(answer, name):
    return bool(answer.choices[0].message.tool_calls) and answer.choices[0].message.tool_calls[0].function.name == name


def check_tools(tap, client, openai):
    other = {"type": "function", "function": {"name": "water", "parameters": {
        "type": "object", "properties": {"litres": {"enum": [1, 2]}}, "required": ["litres"], "additionalProperties": False}}}
    tools = TOOLS + [other]
    named = ended(lambda seed: client.chat.completions.create(
        model=CHAT, messages=ASK, tools=tools, max_tokens=200, seed=seed,
        tool_choice={"type": "function", "function": {"name": "water"}}))
    calls = named.choices[0].message.tool_calls or []
    tap.check("tool_choice: a function", len(calls) == 1 and calls[0].function.name == "water" and calls[0].id
              and json.loads(calls[0].function.arguments)["litres"] in (1, 2) and named.choices[0].finish_reason == "tool_calls",
              named)
    parts = list(client.chat.completions.create(model=CHAT, messages=ASK, tools=[other], max_tokens=200, seed=2, stream=True,
                                                tool_choice="required"))
    pieces = [call for part in parts if part.choices for call in part.choices[0].delta.tool_calls or []]
    text = "".join(call.function.arguments or "" for call in pieces)
    tap.check("tool_choice: required, as a stream", pieces and pieces[0].function.name == "water"
              and json.loads(text)["litres"] in (1, 2), parts)
    none = client.chat.completions.create(model=CHAT, messages=ASK, tools=tools, tool_choice="none", max_tokens=4)
    tap.check("tool_choice: none", none.choices[0].message.tool_calls is None, none)
    both = ended(lambda seed: client.chat.completions.create(
        model=CHAT, messages=ASK, tools=[other], max_tokens=200, seed=seed, response_format=FORM))
    tap.check("tools and json_schema", is_fern(both) or is_call(both, "water"), both)
    fault = fault_of(lambda: client.chat.completions.create(model=CHAT, messages=ASK, tools=tools, tool_choice={
        "type": "function", "function": {"name": "fly"}}), openai.BadRequestError)
    tap.check("tool_choice: no such function", fault is not None and fault.param == "tool_choice", fault)


def check_thoughts(tap, client):
    bias = {"766": THINKS["767"]}
    whole = client.chat.completions.create(model=CHAT, messages=ASK, max_tokens=6, temperature=0, logit_bias=bias)
    message = whole.choices[0].message
    tap.check("thought", message.reasoning_content and not message.content
              and whole.usage.completion_tokens_details.reasoning_tokens == 5, whole)
    parts = list(client.chat.completions.create(model=CHAT, messages=ASK, max_tokens=6, temperature=0, logit_bias=bias,
                                                stream=True))
    text = "".join(getattr(part.choices[0].delta, "reasoning_content", None) or "" for part in parts)
    tap.check("thought as a stream", text == message.reasoning_content, parts)
    shaped = ended(lambda seed: client.chat.completions.create(
        model=CHAT, messages=ASK, max_tokens=200, seed=seed, response_format=FORM, reasoning_effort="low",
        logit_bias=THINKS))
    tap.check("thought, then json_schema", is_fern(shaped), shaped)
    made = client.responses.create(model=CHAT, input="How tall?", max_output_tokens=6, temperature=0,
                                   extra_body={"logit_bias": bias})
    tap.check("response with a thought", made.output[0].type == "reasoning" and made.output[0].content[0].text
              and made.usage.output_tokens_details.reasoning_tokens == 5, made)


def check_chat(tap, client, openai):
    whole = client.chat.completions.create(model=CHAT, messages=ASK, max_tokens=12, temperature=0)
    tap.check("chat", whole.usage.completion_tokens == 12 and whole.choices[0].finish_reason == "length", whole)
    parts = list(client.chat.completions.create(model=CHAT, messages=ASK, max_tokens=12, temperature=0, stream=True,
                                                stream_options={"include_usage": True}))
    text = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
    tap.check("stream", text == whole.choices[0].message.content and parts[-1].usage.completion_tokens == 12, text)
    answer = whole.choices[0].message.content
    stop = answer[len(answer) // 2:][:2]
    cut = client.chat.completions.create(model=CHAT, messages=ASK, max_tokens=12, temperature=0, stop=[stop])
    tap.check("stop", cut.choices[0].finish_reason == "stop" and cut.choices[0].message.content == answer[:answer.index(stop)],
              cut)
    chances = client.chat.completions.create(model=CHAT, messages=ASK, max_tokens=2, logprobs=True, top_logprobs=3)
    tap.check("logprobs", len(chances.choices[0].logprobs.content[0].top_logprobs) == 3, chances)
    history = ASK + [{"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "measure", "arguments": '{"plant": "fern"}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "2 m"}]
    tools = client.chat.completions.create(model=CHAT, messages=history, tools=TOOLS, max_tokens=4)
    tap.check("tools", tools.choices[0].finish_reason in ("length", "stop", "tool_calls"), tools)
    shaped = client.chat.completions.create(
        model=CHAT, messages=ASK, max_tokens=200, seed=3, response_format=FORM)
    tap.check("json_schema", is_fern(shaped), shaped)
    left = client.chat.completions.create(model=CHAT, messages=ASK, stream=True)
    next(iter(left))
    left.close()
    after = client.chat.completions.create(model=CHAT, messages=ASK, max_tokens=1)
    tap.check("a stream that was left", after.usage.completion_tokens == 1, after)
    fault = fault_of(lambda: client.chat.completions.create(model="none", messages=ASK), openai.NotFoundError)
    tap.check("no such model", fault is not None and fault.code == "model_not_found" and fault.param == "model", fault)
    fault = fault_of(lambda: client.chat.completions.create(model=CHAT, messages=ASK, n=2), openai.BadRequestError)
    tap.check("not supported", fault is not None and fault.param == "n", fault)


def check_others(tap, client, openai, recording):
    done = client.completions.create(model=CHAT, prompt="A fern", max_tokens=3, temperature=0)
    tap.check("completion", done.usage.completion_tokens == 3, done)
    made = client.responses.create(model=CHAT, input="How tall is a fern?", instructions="Be brief.", max_output_tokens=6)
    tap.check("response", made.usage.output_tokens == 6 and made.status == "incomplete" and made.output_text != "", made)
    kinds = [event.type for event in client.responses.create(model=CHAT, input="hi", max_output_tokens=3, stream=True)]
    tap.check("response as a stream", kinds[0] == "response.created" and kinds[-1] == "response.incomplete", kinds)
    vectors = client.embeddings.create(model=VECTORS, input=["a cat", "a dog"])
    tap.check("embeddings", len(vectors.data) == 2 and abs(sum(x * x for x in vectors.data[1].embedding) - 1) < 0.01, vectors)
    with open(recording, "rb") as file:
        words = client.audio.transcriptions.create(model=SPEECH, file=file, response_format="verbose_json",
                                                   timestamp_granularities=["word", "segment"])
    tap.check("transcription with words", len(words.words) > 1 and words.words[0].end <= words.duration, words)
    with open(recording, "rb") as file:
        lines = client.audio.transcriptions.create(model=SPEECH, file=file, response_format="srt")
    tap.check("transcription as SRT", " --> " in lines, lines)
    tap.check("models", {model.id for model in client.models.list()} == {CHAT, SPEECH, VECTORS})
    locked = client.with_options(api_key="wrong")
    fault = fault_of(lambda: locked.models.list(), openai.AuthenticationError)
    tap.check("wrong key", fault is not None and fault.code == "invalid_api_key", fault)


def check_ollama(tap, client, ollama):
    tap.check("ollama: models", {model.model for model in client.list().models} == {CHAT, SPEECH, VECTORS})
    tap.check("ollama: show", "completion" in client.show(CHAT).capabilities)
    options = {"num_predict": 8, "temperature": 0}
    whole = client.chat(model=CHAT, messages=ASK, options=options)
    parts = [part.message.content for part in client.chat(model=CHAT, messages=ASK, options=options, stream=True)]
    tap.check("ollama: chat", whole.eval_count == 8 and "".join(parts) == whole.message.content, whole)
    tap.check("ollama: generate", client.generate(model=CHAT, prompt="A fern", options=options).eval_count == 8)
    shaped = client.chat(model=CHAT, messages=ASK, options={"num_predict": 200}, format=SCHEMA)
    tap.check("ollama: format", isinstance(json.loads(shaped.message.content)["tall"], bool), shaped)
    tools = client.chat(model=CHAT, messages=ASK, tools=TOOLS, options=options, think=False)
    tap.check("ollama: tools", tools.eval_count == 8 and tools.message.thinking is None, tools)
    stop = whole.message.content[len(whole.message.content) // 2:][:2]
    cut = client.chat(model=CHAT, messages=ASK, options={**options, "stop": [stop]})
    tap.check("ollama: stop", cut.message.content == whole.message.content[:whole.message.content.index(stop)], cut)
    tap.check("ollama: embed", len(client.embed(model=VECTORS, input=["a", "b"]).embeddings) == 2)
    fault = fault_of(lambda: client.chat(model="none", messages=ASK), ollama.ResponseError)
    tap.check("ollama: no such model", fault is not None and fault.status_code == 404, fault)


def main():
    pteris, source, venv = sys.argv[1:4]
    use_packages(venv)
    import ollama
    import openai

    tap = Tap()
    key = os.path.join(venv, "key")
    with open(key, "w", encoding="utf-8") as file:
        file.write("s3cret\n")
    with Serving(pteris, source, "--key-file", key) as serving:
        client = openai.OpenAI(base_url=serving.address + "/v1", api_key="s3cret", max_retries=0)
        check_chat(tap, client, openai)
        check_tools(tap, client, openai)
        check_thoughts(tap, client)
        check_others(tap, client, openai, os.path.join(source, "resources/starter/jfk.wav"))
        check_ollama(tap, ollama.Client(host=serving.address, headers={"Authorization": "Bearer s3cret"}), ollama)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
