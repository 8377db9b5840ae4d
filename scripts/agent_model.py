"""A scripted language model behind real coding agents. It speaks the Messages API of Anthropic, OpenAI's Responses and Chat
Completions and Gemini's API; it proposes one command, and ends when it has seen what became of it.

Cursor's servers it stands in for only as far as signing in.

    agent_model.py COMMAND FOLDER    prints its port; FOLDER/results gets a line for every tool result that the host sent back,
                                     FOLDER/asked a line for every request. `agent: TASK` gives a task to a sub-agent instead;
                                     an empty COMMAND proposes nothing. While FOLDER/wait is there, no request is answered.
"""

import base64
import json
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMAND, FOLDER = sys.argv[1], Path(sys.argv[2])
TASK = COMMAND.removeprefix("agent:").strip() if COMMAND.startswith("agent:") else None
SUB_AGENTS = ("Agent", "Task")
SHELLS = ("Bash", "bash", "shell", "shell_command", "exec_command", "run_shell_command")
ANSWER = "The scripted answer is done."


def listed(value):
    return value if isinstance(value, list) else []


def anthropic_results(asked):
    for message in listed(asked.get("messages")):
        for part in listed(message.get("content")):
            if part.get("type") == "tool_result":
                yield {"is_error": part.get("is_error", False), "content": part.get("content")}


def responses_results(asked):
    for item in listed(asked.get("input")):
        if item.get("type", "").endswith("_call_output"):
            yield {"content": item.get("output")}


def chat_results(asked):
    for message in listed(asked.get("messages")):
        if message.get("role") == "tool":
            yield {"content": message.get("content")}


def gemini_results(asked):
    for content in listed(asked.get("contents")):
        for part in listed(content.get("parts")):
            if "functionResponse" in part:
                yield {"content": part["functionResponse"].get("response")}


def names(asked):
    """The names of the tools that a request offers, in any of the protocols."""
    for tool in listed(asked.get("tools")):
        yield tool.get("name")
        yield (tool.get("function") or {}).get("name")
        for declared in listed(tool.get("functionDeclarations")):
            yield declared.get("name")


def arguments(tool):
    if TASK is not None:
        return {"description": "a scripted task", "prompt": TASK, "subagent_type": "general-purpose"}
    if tool == "shell":
        return {"command": ["sh", "-c", COMMAND]}
    if tool == "exec_command":
        return {"cmd": COMMAND}
    return {"command": COMMAND, "description": "a scripted command"}


class Model(BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.send_error(404)

    def do_GET(self):
        if self.path == "/v1/models":
            return self.answer_json({"items": [{"id": "composer-1", "displayName": "scripted"}]})
        self.send_error(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.startswith(("/auth/", "/aiserver.", "/agent.")):
            return self.answer_cursor(body)
        asked = json.loads(body or b"{}")
        with open(FOLDER / "asked", "a") as log:
            log.write(json.dumps({"path": self.path, "body": asked}) + "\n")
        while (FOLDER / "wait").exists():
            time.sleep(0.05)
        if "count_tokens" in self.path or "countTokens" in self.path:
            return self.answer_json({"input_tokens": 1, "totalTokens": 1})
        if "enerateContent" in self.path:
            return self.answer_gemini(asked, self.proposed(asked, gemini_results))
        if self.path.endswith("/responses"):
            return self.answer_responses(self.proposed(asked, responses_results))
        if self.path.endswith("/chat/completions"):
            return self.answer_chat(asked, self.proposed(asked, chat_results))
        if self.path.split("?")[0].endswith("/messages"):
            return self.answer_anthropic(asked, self.proposed(asked, anthropic_results))
        self.send_error(404)

    def answer_cursor(self, body):
        # Its messages travel as hexadecimal digits.
        digits = re.findall(rb"[0-9a-f]{64,}", body)
        text = b" ".join([body, *(bytes.fromhex(it[: len(it) // 2 * 2].decode()) for it in digits)])
        with open(FOLDER / "asked", "a") as log:
            log.write(json.dumps({"path": self.path, "body": text.decode("utf-8", "replace")}) + "\n")
        part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
        token = ".".join([part({"alg": "none"}), part({"sub": "scripted", "exp": int(time.time()) + 9999}), "x"])
        self.answer_json({"accessToken": token, "refreshToken": token})

    def proposed(self, asked, results_of):
        """The tool that is proposed; none if the host offers no shell, or has already answered."""
        results = list(results_of(asked))
        if results:
            with open(FOLDER / "results", "w") as log:
                for result in results:
                    log.write(json.dumps(result) + "\n")
        wanted = SHELLS if TASK is None else SUB_AGENTS
        tool = next((name for name in names(asked) if name in wanted), None)
        is_of_task = TASK is not None and TASK in json.dumps(asked.get("messages", [])[:1])
        return None if results or not COMMAND or is_of_task else tool

    def answer_anthropic(self, asked, tool):
        block, stop = {"type": "text", "text": ANSWER}, "end_turn"
        delta = {"type": "text_delta", "text": ANSWER}
        if tool:
            block = {"type": "tool_use", "id": "toolu_scripted", "name": tool, "input": arguments(tool)}
            delta, stop = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}, "tool_use"
        message = {"id": "msg_scripted", "type": "message", "role": "assistant", "model": asked.get("model", "scripted"),
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        if not asked.get("stream"):
            return self.answer_json({**message, "content": [block], "stop_reason": stop})
        empty = {**block, "input": {}} if tool else {**block, "text": ""}
        self.stream([
            {"type": "message_start", "message": {**message, "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ])

    def answer_responses(self, tool):
        item = {"type": "message", "id": "msg_scripted", "role": "assistant",
                "content": [{"type": "output_text", "text": ANSWER, "annotations": []}]}
        if tool:
            item = {"type": "function_call", "id": "fc_scripted", "call_id": "call_scripted", "name": tool,
                    "arguments": json.dumps(arguments(tool))}
        usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": 2}
        self.stream([
            {"type": "response.created", "response": {"id": "resp_scripted"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_scripted", "output": [item], "usage": usage}},
        ])

    def answer_chat(self, asked, tool):
        message, finish = {"role": "assistant", "content": ANSWER}, "stop"
        if tool:
            call = {"index": 0, "id": "call_scripted", "type": "function",
                    "function": {"name": tool, "arguments": json.dumps(arguments(tool))}}
            message, finish = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        base = {"id": "chat_scripted", "created": 1, "model": asked.get("model", "scripted")}
        if not asked.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return self.answer_json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
        base["object"] = "chat.completion.chunk"
        self.stream([
            {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage},
        ], named=False, end="data: [DONE]\n\n")

    def answer_gemini(self, asked, tool):
        part = {"functionCall": {"id": "call_scripted", "name": tool, "args": arguments(tool)}} if tool else {"text": ANSWER}
        schema = (asked.get("generationConfig") or {}).get("responseJsonSchema")
        if schema:
            part = {"text": json.dumps({"next_speaker": "user", "reasoning": "it is done", "model_choice": "flash"})}
        answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                  "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
        if "stream" not in self.path:
            return self.answer_json(answer)
        self.stream([answer], named=False)

    def stream(self, events, named=True, end=""):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if named else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        self.wfile.write(end.encode())
        self.wfile.flush()
        self.close_connection = True

    def answer_json(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_address[1], flush=True)
server.serve_forever()
