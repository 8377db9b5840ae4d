"""A scripted provider for scripts/proxy: answers as OpenAI and Anthropic do, whole and streamed. Prints its address."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CALL = {"city": "Lisbon"}
WORDS = "The tide turns at nine."


def last(request):
    items = request.get("messages") or request.get("input") or []
    return items if isinstance(items, str) else json.dumps(items[-1:])


def wants_tool(request):
    """A tool is used once: for a question that comes with tools, until its result is there."""
    text = last(request)
    return bool(request.get("tools")) and not any(word in text for word in ("tool_result", "call_output", '"tool"'))


def chat(request):
    message = {"role": "assistant", "content": WORDS, "refusal": None}
    if wants_tool(request):
        function = {"name": "tide", "arguments": json.dumps(CALL)}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    base = {"id": "chatcmpl-1", "created": 1, "model": "scripted-1"}
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    if not request.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        return {**base, "object": "chat.completion", "choices": [choice]}
    deltas = [{"role": "assistant"}]
    if reason == "stop":
        deltas += [{"content": word} for word in ("The tide ", "turns ", "at nine.")]
    else:
        text = json.dumps(CALL)
        begun = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "tide", "arguments": text[:5]}}
        deltas += [{"tool_calls": [begun]}, {"tool_calls": [{"index": 0, "function": {"arguments": text[5:]}}]}]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": reason})
    chunks = [{**base, "object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    return [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]


def messages(request):
    block, reason = {"type": "text", "text": WORDS}, "end_turn"
    if wants_tool(request):
        block, reason = {"type": "tool_use", "id": "toolu_1", "name": "tide", "input": CALL}, "tool_use"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1", "content": [block],
               "stop_reason": reason, "stop_sequence": None, "usage": usage}
    if not request.get("stream"):
        return message
    empty = {**block, "text": ""} if reason == "end_turn" else {**block, "input": {}}
    if reason == "end_turn":
        deltas = [{"type": "text_delta", "text": word} for word in ("The tide ", "turns ", "at nine.")]
    else:
        text = json.dumps(CALL)
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in (text[:5], text[5:])]
    events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
              {"type": "content_block_start", "index": 0, "content_block": empty}]
    events += [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
    events += [{"type": "content_block_stop", "index": 0},
               {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
               {"type": "message_stop"}]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


def responses(request):
    text = {"type": "output_text", "text": WORDS, "annotations": []}
    item = {"id": "item_1", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    if wants_tool(request):
        item = {"id": "item_1", "type": "function_call", "call_id": "call_1", "name": "tide", "arguments": json.dumps(CALL),
                "status": "completed"}
    whole = {"id": "resp_1", "object": "response", "created_at": 1, "model": "scripted-1", "status": "completed",
             "output": [item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None,
             "incomplete_details": None, "instructions": None, "metadata": {}}
    if not request.get("stream"):
        return whole
    begun = {**whole, "status": "in_progress", "output": []}
    empty = {**item, "status": "in_progress", **({"content": []} if item["type"] == "message" else {"arguments": ""})}
    place = {"output_index": 0, "item_id": "item_1", "content_index": 0}
    events = [("response.created", {"response": begun}), ("response.output_item.added", {"output_index": 0, "item": empty})]
    if item["type"] == "message":
        events.append(("response.content_part.added", {**place, "part": {**text, "text": ""}}))
        events += [("response.output_text.delta", {**place, "delta": word, "logprobs": []}) for word in ("The tide ", "turns ", "at nine.")]
        events.append(("response.output_text.done", {**place, "text": WORDS, "logprobs": []}))
        events.append(("response.content_part.done", {**place, "part": text}))
    else:
        events.append(("response.function_call_arguments.delta", {**place, "delta": item["arguments"]}))
        events.append(("response.function_call_arguments.done", {**place, "arguments": item["arguments"], "name": "tide"}))
    events += [("response.output_item.done", {"output_index": 0, "item": item}), ("response.completed", {"response": whole})]
    numbered = [{"type": kind, "sequence_number": number, **fields} for number, (kind, fields) in enumerate(events)]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in numbered]


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply(200, {"object": "list", "data": [{"id": "scripted-1", "object": "model", "created": 1, "owned_by": "nobody"}]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        ours = [name for name in self.headers if name.lower().startswith("x-cairn")]
        key = self.headers.get("authorization", "") + self.headers.get("x-api-key", "")
        if ours or "sk-official-key" not in key:
            return self.reply(400, {"error": {"message": f"these came through: {ours}", "type": "invalid_request_error"}})
        if request.get("model") == "refused":
            error = {"message": "the model does not exist", "type": "not_found_error"}
            return self.reply(404, {"type": "error", "error": error})
        answer = {"/v1/chat/completions": chat, "/v1/messages": messages, "/v1/responses": responses}[self.path.split("?")[0]](request)
        if isinstance(answer, dict):
            return self.reply(200, answer)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for part in answer + [""]:
            self.wfile.write(f"{len(part.encode()):x}\r\n{part}\r\n".encode())
            self.wfile.flush()

    def reply(self, status, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
