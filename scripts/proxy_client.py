"""The official Python clients through the proxy; with --recorded, what an agent's memory has of it, on standard input."""

import json
import sys

KEY = "sk-official-key"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WORDS = "The tide turns at nine."
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def recorded(agent):
    messages = json.load(sys.stdin)["entries"]
    said = {}
    for message in messages:
        said.setdefault(message["session"], []).append((message["role"], message["speaker"], message["text"]))
    for protocol in ("chat", "messages", "responses"):
        for way in ("whole", "streamed"):
            session = f"{agent}-{protocol}-{way}"
            expected = [
                ("user", "user", f"When does it turn? ({session})"),
                ("tool", "tide", 'tide {"city":"Lisbon"}'),
                ("tool", "tide", "nine"),
                ("assistant", "assistant", WORDS),
                ("user", "user", "And what is this?"),
                ("assistant", "assistant", WORDS),
            ]
            assert said.get(session) == expected, f"{session}: {said.get(session)}"
    print(f"{agent}: {len(messages)} messages recorded, each once")


def chat(client, session, stream):
    headers = {"x-cairn-agent": "python", "x-cairn-session": session}
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"When does it turn? ({session})"}]
    tools = [{"type": "function", "function": {"name": "tide", "parameters": SCHEMA}}]

    def ask(**more):
        asked = dict(model="scripted-1", messages=messages, extra_headers=headers, **more)
        if not stream:
            return client.chat.completions.create(**asked).choices[0].message
        with client.chat.completions.stream(**asked) as streamed:
            return streamed.get_final_completion().choices[0].message

    call = ask(tools=tools).tool_calls[0]
    assert json.loads(call.function.arguments) == {"city": "Lisbon"}, call
    function = {"name": call.function.name, "arguments": call.function.arguments}
    messages.append({"role": "assistant", "content": None, "tool_calls": [{"id": call.id, "type": "function", "function": function}]})
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "nine"})
    assert ask(tools=tools).content == WORDS
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    messages.append({"role": "assistant", "content": WORDS})
    messages.append({"role": "user", "content": [picture, {"type": "text", "text": "And what is this?"}]})
    assert ask().content == WORDS


def messages(client, session, stream):
    headers = {"x-cairn-agent": "python", "x-cairn-session": session}
    said = [{"role": "user", "content": f"When does it turn? ({session})"}]
    tools = [{"name": "tide", "description": "The tide.", "input_schema": SCHEMA}]

    def ask(**more):
        asked = dict(model="scripted-1", max_tokens=100, system="Be brief.", messages=said, extra_headers=headers, **more)
        if not stream:
            return client.messages.create(**asked).content[0]
        with client.messages.stream(**asked) as streamed:
            return streamed.get_final_message().content[0]

    call = ask(tools=tools)
    assert call.input == {"city": "Lisbon"}, call
    said.append({"role": "assistant", "content": [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}]})
    said.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "nine"}]})
    assert ask(tools=tools).text == WORDS
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    said.append({"role": "assistant", "content": WORDS})
    said.append({"role": "user", "content": [picture, {"type": "text", "text": "And what is this?"}]})
    assert ask().text == WORDS


def responses(client, session, stream):
    headers = {"x-cairn-agent": "python", "x-cairn-session": session}
    items = [{"role": "user", "content": f"When does it turn? ({session})"}]
    tools = [{"type": "function", "name": "tide", "parameters": SCHEMA, "strict": False}]

    def ask(**more):
        asked = dict(model="scripted-1", instructions="Be brief.", input=items, extra_headers=headers, **more)
        if not stream:
            return client.responses.create(**asked)
        with client.responses.stream(**asked) as streamed:
            return streamed.get_final_response()

    call = ask(tools=tools).output[0]
    assert json.loads(call.arguments) == {"city": "Lisbon"}, call
    items.append({"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments})
    items.append({"type": "function_call_output", "call_id": call.call_id, "output": "nine"})
    assert ask(tools=tools).output_text == WORDS
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"}
    items.append({"role": "assistant", "content": WORDS})
    items.append({"role": "user", "content": [picture, {"type": "input_text", "text": "And what is this?"}]})
    assert ask().output_text == WORDS


def main(url):
    import anthropic
    import openai

    of_openai = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    of_anthropic = anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=0)
    for way, stream in (("whole", False), ("streamed", True)):
        chat(of_openai, f"python-chat-{way}", stream)
        responses(of_openai, f"python-responses-{way}", stream)
        messages(of_anthropic, f"python-messages-{way}", stream)
    assert [model.id for model in of_openai.models.list()] == ["scripted-1"]
    for refused, ask in (
        (openai.NotFoundError, lambda: of_openai.responses.create(model="refused", input="x")),
        (anthropic.NotFoundError, lambda: of_anthropic.messages.create(model="refused", max_tokens=1, messages=[{"role": "user", "content": "x"}])),
    ):
        try:
            ask()
            raise AssertionError("not refused")
        except refused as error:
            assert "the model does not exist" in str(error), error
    print(f"python: openai {openai.__version__} and anthropic {anthropic.__version__}, whole and streamed, with tools and pictures")


if sys.argv[1] == "--recorded":
    recorded(sys.argv[2])
else:
    main(sys.argv[1])
