"""A scripted language model that speaks the Messages API: it proposes one command, and ends when it has seen what became of it.

    claude_model.py COMMAND LOG    prints its port; LOG gets a line for every tool result that the host sent back,
                                   and LOG.messages all it was last told
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMAND, LOG = sys.argv[1], sys.argv[2]


def tool_results(messages):
    """What the host said about tools that were proposed."""
    for message in messages:
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            if part.get("type") == "tool_result":
                yield part


class Model(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(404)

    do_HEAD = do_GET

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if "count_tokens" in self.path:
            return self.answer_json({"input_tokens": 1})
        messages = asked.get("messages", [])
        results = list(tool_results(messages))
        has_tool = any(tool.get("name") == "Bash" for tool in asked.get("tools", []))
        if results:
            with open(f"{LOG}.messages", "w") as log:
                json.dump(messages, log, ensure_ascii=False)
            with open(LOG, "w") as log:
                for result in results:
                    log.write(json.dumps({"is_error": result.get("is_error", False), "content": result.get("content")}) + "\n")
        if has_tool and not results:
            tool = {"type": "tool_use", "id": "toolu_scripted", "name": "Bash", "input": {"command": COMMAND}}
            return self.answer(asked, tool, "tool_use")
        self.answer(asked, {"type": "text", "text": "done"}, "end_turn")

    def answer(self, asked, block, stop):
        message = {"id": "msg_scripted", "type": "message", "role": "assistant", "model": asked.get("model", "scripted"),
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        if not asked.get("stream"):
            return self.answer_json({**message, "content": [block], "stop_reason": stop})
        empty = {**block, "input": {}} if block["type"] == "tool_use" else {**block, "text": ""}
        if block["type"] == "tool_use":
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            delta = {"type": "text_delta", "text": block["text"]}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in (
            {"type": "message_start", "message": {**message, "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
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
