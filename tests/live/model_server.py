#!/usr/bin/env python3
"""model_server.py - a scripted stand-in for model providers, on 127.0.0.1 only.

One stdlib-only file. It speaks, well enough for the real CLIs:

  * Anthropic Messages      POST .../v1/messages (SSE or JSON), /v1/messages/count_tokens
  * OpenAI Chat Completions POST .../chat/completions (SSE or JSON)
  * OpenAI Responses        POST .../responses (SSE or JSON)
  * Gemini                  POST .../models/<m>:generateContent | :streamGenerateContent | :countTokens
  * GET .../models          for all of them

WHAT IT ANSWERS comes from a script, either a JSON file or Python:

  {"scenarios": {
      "ok":   {"steps": [ {"tool": "write", "path": "hello.txt", "content": "hi\n"},
                          {"text": "Done.\nSTATUS: COMPLETE"} ]},
      "rate": {"steps": [ {"error": "rate_limit", "retry_after": 2, "times": 2},
                          {"text": "recovered"} ]}
   }, "default": "ok"}

A bare {"steps": [...]} is one scenario called "default". The built-in
scenarios (see BUILTIN) are always there too.

WHICH SCENARIO a request gets, first match wins:
  1. URL prefix:   base URL http://127.0.0.1:PORT/s/<scenario>[/<run-id>] + the normal path
  2. prompt mark:  the text "[[scenario:<name>]]" anywhere in the last user prompt
  3. API key:      "sk-dummy-<scenario>"
  4. the script's "default", else "ok".
The run-id makes an independent step counter, so parallel runs do not disturb
each other. POST /__fake__/reset clears counters and log.

WHICH STEP: by default every *main* request (one that offers tools, or every
request if scenario has "side": "none") takes the next step; "times": n
repeats a step n times (-1 = for ever); the last step repeats for ever.
With "index": "history" the step is the number of assistant turns after the
last real user prompt instead: stateless, so a client's own retry of one
request gets the same step again. *Side* requests (session titles, quota
probes, topic classifiers: no tools offered) get the text "ok" and take no step,
except that error steps with "side_too": true (default for hang/error) also
apply to them.

STEP FIELDS (one main verb each)
  {"text": "..."}                      final answer; "text_bytes": 5000000 pads it to a size
  {"tool": "write", "path", "content"} portable: mapped to Write / write_file / write /
  {"tool": "shell", "command"}           apply_patch / exec_command / bash ... of that client
  {"call": "ToolName", "input": {...}} raw tool call (string input = freeform/custom tool)
  {"tools": [ {...}, {...} ]}          parallel tool calls
  {"error": KIND, ...}                 KIND in ERRORS below; "status", "message",
                                       "retry_after", "resets_in", "headers", "body" override
  {"malformed": HOW}                   truncate | bad_json | no_stop | garbage | empty | html
  {"hang": "connect"|"headers"|"partial", "seconds": 3600}
  extras for any step: "say" (text before a tool call), "delay" (s before the first byte),
  "chunk_delay" (s between chunks), "chunk": chars per text delta, "times", "usage": {"in","out","cached"},
  "headers": {...}, "stop": raw stop reason, "stream_only": true (no fault on non-stream requests), "mid_error": KIND (error event after a partial stream)

PYTHON USE
    with FakeModel(script) as fm:                # script: dict | path | callable(Req) -> step dict
        env["ANTHROPIC_BASE_URL"] = fm.url("ok", "run1")
        ...; fm.log -> list of dicts, one per request

COMMAND LINE
    model_server.py --port 8099 --script s.json --log log.jsonl --bodies DIR
"""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import socket
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

STATUS_BLOCK = "---STATUS---\nstate: COMPLETE\nfiles_changed: 1\nnext: none\n---END-STATUS---"

BUILTIN = {
    # write a file with the client's own edit tool, then finish
    "ok": {"steps": [
        {"say": "I will create the file.", "tool": "write", "path": "hello.txt", "content": "hello from the fake model\n"},
        {"text": "Created hello.txt.\n\n" + STATUS_BLOCK}]},
    "shell": {"steps": [
        {"say": "I will run a command.", "tool": "shell", "command": "printf 'via shell\\n' > shell.txt && cat shell.txt"},
        {"text": "Ran the command.\n\n" + STATUS_BLOCK}]},
    "three": {"steps": [
        {"tool": "write", "path": "a.txt", "content": "a\n"},
        {"tool": "shell", "command": "cat a.txt"},
        {"tool": "write", "path": "b.txt", "content": "b\n"},
        {"text": "Wrote a.txt and b.txt.\n\n" + STATUS_BLOCK}]},
    "text": {"steps": [{"text": "Nothing to do.\n\n" + STATUS_BLOCK}]},
    "loop": {"steps": [{"tool": "shell", "command": "true", "times": -1}]},
    "sleeptool": {"steps": [{"tool": "shell", "command": "sleep 300", "times": 1}, {"text": "slept"}]},
    "slow": {"steps": [{"text": "Slow but fine.\n\n" + STATUS_BLOCK, "delay": 8}]},
    "trickle": {"steps": [{"text": "word " * 60 + STATUS_BLOCK, "chunk": 5, "chunk_delay": 0.2}]},
    "rate_limit": {"steps": [{"error": "rate_limit", "retry_after": 1, "times": -1}]},
    "rate_limit_once": {"steps": [{"error": "rate_limit", "retry_after": 1, "times": 1},
                                  {"text": "Recovered after one 429.\n\n" + STATUS_BLOCK}]},
    "overloaded": {"steps": [{"error": "overloaded", "times": -1}]},
    "overloaded_once": {"steps": [{"error": "overloaded", "times": 1},
                                  {"text": "Recovered after one 529.\n\n" + STATUS_BLOCK}]},
    "usage_limit": {"steps": [{"error": "usage_limit", "resets_in": 5400, "times": -1}]},
    "usage_limit_midway": {"steps": [
        {"tool": "write", "path": "hello.txt", "content": "half\n"},
        {"error": "usage_limit", "resets_in": 5400, "times": -1}]},
    "quota": {"steps": [{"error": "quota", "times": -1}]},
    "auth": {"steps": [{"error": "auth", "times": -1}]},
    "forbidden": {"steps": [{"error": "forbidden", "times": -1}]},
    "bad_model": {"steps": [{"error": "bad_model", "times": -1}]},
    "context": {"steps": [{"error": "context", "times": -1}]},
    "server": {"steps": [{"error": "server", "times": -1}]},
    "bad_request": {"steps": [{"error": "bad_request", "times": -1}]},
    "mid_error": {"steps": [{"text": "Partial answer before the error", "mid_error": "overloaded", "times": -1}]},
    "mid_context": {"steps": [{"text": "Partial", "mid_error": "context", "times": -1}]},
    "mid_rate_limit": {"steps": [{"text": "Partial", "mid_error": "rate_limit", "times": -1}]},
    "mid_error_stream_only": {"steps": [{"text": "Partial answer before the error", "mid_error": "overloaded", "stream_only": True, "times": -1}]},
    "usage_limit_week": {"steps": [{"error": "usage_limit", "resets_in": 400000, "claim": "seven_day", "times": -1}]},
    "malformed_truncate": {"steps": [{"text": "This will be cut off in the middle", "malformed": "truncate", "times": -1}]},
    "malformed_json": {"steps": [{"text": "This has a broken event", "malformed": "bad_json", "times": -1}]},
    "malformed_nostop": {"steps": [{"text": "This never says stop", "malformed": "no_stop", "times": -1}]},
    "malformed_garbage": {"steps": [{"malformed": "garbage", "text": "x", "times": -1}]},
    "malformed_empty": {"steps": [{"malformed": "empty", "text": "x", "times": -1}]},
    "malformed_html": {"steps": [{"malformed": "html", "text": "x", "times": -1}]},
    "long": {"steps": [{"text": "Long answer follows.\n", "text_bytes": 5_000_000, "tail": "\n\n" + STATUS_BLOCK, "chunk": 65536}]},
    "hang": {"steps": [{"hang": "headers", "seconds": 3600, "times": -1}]},
    "hang_connect": {"steps": [{"hang": "connect", "seconds": 3600, "times": -1}]},
    "hang_partial": {"steps": [{"text": "I started to say", "hang": "partial", "seconds": 3600, "times": -1}]},
    "max_tokens": {"steps": [{"text": "Cut by the output limit", "stop": "max_tokens", "times": -1}]},
    "refusal": {"steps": [{"text": "I will not do that.", "stop": "refusal"}]},
    "prose_limits": {"steps": [{"text": "I added a handler for HTTP 429 rate_limit_error and the message "
                                "\"You've hit your usage limit. Try again at 3:00 PM\"; 5-hour limit reached is now tested.\n\n" + STATUS_BLOCK}]},
    "denied": {"steps": [{"tool": "shell", "command": "touch /should-not-exist-denied"},
                         {"text": "The command was denied.\n\n" + STATUS_BLOCK}]},
    "bad_tool": {"steps": [{"call": "NoSuchTool", "input": {"x": 1}}, {"text": "done anyway"}]},
}


# --------------------------------------------------------------------------- errors
def _iso(ts):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ts))


def render_error(kind, proto, step):
    """-> (status, headers, body-dict) shaped the way the real provider shapes it."""
    ra = step.get("retry_after")
    resets_in = step.get("resets_in", 5400)
    reset_at = int(time.time() + resets_in)
    model = step.get("_model", "model-x")
    h = {}
    if ra is not None:
        h["retry-after"] = str(ra)
    if proto == "anthropic":
        table = {
            "rate_limit": (429, "rate_limit_error", "This request would exceed your organization's rate limit of 50,000 input tokens per minute."),
            "overloaded": (529, "overloaded_error", "Overloaded"),
            # what a subscription account gets; the unified-* headers are what claude reads
            "usage_limit": (429, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
            "quota": (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."),
            "auth": (401, "authentication_error", "invalid x-api-key"),
            "forbidden": (403, "permission_error", "Your account does not have permission to use this resource."),
            "bad_model": (404, "not_found_error", "model: " + model),
            "context": (400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
            "server": (500, "api_error", "Internal server error"),
            "bad_request": (400, "invalid_request_error", "messages.0.content: Input should be a valid list"),
        }
        st, typ, msg = table[kind]
        if kind == "rate_limit":
            h.setdefault("retry-after", "1")
            h.update({"anthropic-ratelimit-input-tokens-limit": "50000",
                      "anthropic-ratelimit-input-tokens-remaining": "0",
                      "anthropic-ratelimit-input-tokens-reset": _iso(time.time() + float(h["retry-after"]))})
        if kind == "usage_limit":
            h.setdefault("retry-after", str(resets_in))
            h.update({"anthropic-ratelimit-unified-status": "rejected",
                      "anthropic-ratelimit-unified-reset": str(reset_at),
                      "anthropic-ratelimit-unified-representative-claim": step.get("claim", "five_hour"),
                      "anthropic-ratelimit-unified-5h-status": "rejected",
                      "anthropic-ratelimit-unified-5h-reset": str(reset_at),
                      "anthropic-ratelimit-unified-5h-utilization": "1.0",
                      "anthropic-ratelimit-unified-overage-status": "rejected",
                      "anthropic-ratelimit-unified-overage-disabled-reason": "org_level_disabled"})
        rid = "req_fake" + uuid.uuid4().hex[:16]
        h["request-id"] = rid
        body = {"type": "error", "error": {"type": typ, "message": step.get("message", msg)}, "request_id": rid}
    elif proto in ("chat", "responses"):
        table = {
            "rate_limit": (429, "tokens", "rate_limit_exceeded", "Rate limit reached for %s in organization org-fake on tokens per min (TPM): Limit 30000, Used 29900, Requested 1200. Please try again in %ss." % (model, ra or 1)),
            "overloaded": (503, "server_error", "server_is_overloaded", "The server is currently overloaded. Please try again later."),
            "usage_limit": (429, "usage_limit_reached", None, "The usage limit has been reached"),
            "quota": (429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
            "auth": (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-dummy."),
            "forbidden": (403, "invalid_request_error", "unsupported_country_region_territory", "Country, region, or territory not supported"),
            "bad_model": (404, "invalid_request_error", "model_not_found", "The model `%s` does not exist or you do not have access to it." % model),
            "context": (400, "invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again."
                        if proto == "responses" else "This model's maximum context length is 128000 tokens. However, your messages resulted in 130211 tokens. Please reduce the length of the messages."),
            "server": (500, "server_error", None, "The server had an error while processing your request. Sorry about that!"),
            "bad_request": (400, "invalid_request_error", "invalid_value", "Invalid value: 'x'."),
        }
        st, typ, code, msg = table[kind]
        err = {"message": step.get("message", msg), "type": typ, "param": None, "code": code}
        if kind == "rate_limit":
            h.setdefault("retry-after", "1")
            h.update({"x-ratelimit-limit-tokens": "30000", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "%ss" % (ra or 1)})
        if kind == "usage_limit":   # ChatGPT-plan shape, read by codex
            err.update({"plan_type": "plus", "resets_at": reset_at, "resets_in_seconds": resets_in})
            h.update({"x-codex-primary-used-percent": "100", "x-codex-primary-window-minutes": "300",
                      "x-codex-primary-reset-at": str(reset_at), "x-codex-primary-reset-after-seconds": str(resets_in)})
        h["x-request-id"] = "req_fake" + uuid.uuid4().hex[:16]
        body = {"error": err}
    else:  # gemini
        table = {
            "rate_limit": (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
            "overloaded": (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
            "usage_limit": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."),
            "quota": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."),
            "auth": (401, "UNAUTHENTICATED", "API key not valid. Please pass a valid API key."),
            "forbidden": (403, "PERMISSION_DENIED", "The caller does not have permission"),
            "bad_model": (404, "NOT_FOUND", "models/%s is not found for API version v1beta, or is not supported for generateContent." % model),
            "context": (400, "INVALID_ARGUMENT", "The input token count (1213462) exceeds the maximum number of tokens allowed (1048576)."),
            "server": (500, "INTERNAL", "An internal error has occurred. Please retry."),
            "bad_request": (400, "INVALID_ARGUMENT", "Invalid value at 'contents'."),
        }
        st, status, msg = table[kind]
        err = {"code": st, "message": step.get("message", msg), "status": status}
        if kind == "rate_limit":
            err["details"] = [
                {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
                    {"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                     "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "quotaValue": "10"}]},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "%ss" % (ra or 1)}]
        if kind in ("usage_limit", "quota"):
            err["details"] = [
                {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
                    {"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                     "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "50"}]},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "%ss" % resets_in}]
        body = {"error": err}
    st = step.get("status", st)
    h.update(step.get("headers", {}))
    return st, h, step.get("body", body)


# --------------------------------------------------------------------------- request view
CWD_PATTERNS = [
    r"[Pp]rimary working directory:\s*`?([^\n\"`<]+)",
    r"[Ww]orking directory:\s*`?([^\n\"`<]+)",
    r"currently working in the directory:\s*`?([^\n\"`<]+)",
    r"<cwd>([^<]+)</cwd>",
    r"\*\*Workspace Directories:\*\*\s*- ([^\n]+)",
    r"following director(?:y|ies):\s*-?\s*([^\n]+)",
    r"\bcwd:\s*([^\n\"<]+)",
]


def filler(n):
    """n characters that never repeat (gemini and others stop on repeated text: "Loop detected")"""
    out, i, size = [], 0, 0
    while size < n:
        line = "%d %s\n" % (i, hashlib.sha256(b"%d" % i).hexdigest())
        out.append(line)
        size += len(line)
        i += 1
    return "".join(out)[:n]


class Req:
    """What a script callable gets: a protocol-neutral view of one request."""

    def __init__(self, proto, model, body, headers, path, stream):
        self.proto, self.model, self.body, self.headers, self.path, self.stream = proto, model, body, headers, path, stream
        self.texts = []          # (role, text, is_tool_result)
        self.tool_names = []
        self.custom_tools = set()
        self._read()

    def _add(self, role, content):
        if isinstance(content, str):
            self.texts.append((role, content, False))
        elif isinstance(content, list):
            for b in content:
                if not isinstance(b, dict):
                    continue
                t = b.get("type")
                if t == "tool_result":
                    self.texts.append((role, json.dumps(b.get("content")), True))
                elif "functionResponse" in b:
                    self.texts.append((role, json.dumps(b["functionResponse"]), True))
                elif "text" in b:
                    self.texts.append((role, str(b["text"]), False))

    def _read(self):
        b = self.body
        if self.proto == "anthropic":
            self._add("system", b.get("system") or "")
            for m in b.get("messages", []):
                self._add(m.get("role"), m.get("content"))
            self.tool_names = [t.get("name", "") for t in b.get("tools") or []]
        elif self.proto == "chat":
            for m in b.get("messages", []):
                if m.get("role") == "tool":
                    self.texts.append(("user", json.dumps(m.get("content")), True))
                else:
                    self._add(m.get("role"), m.get("content"))
                    if m.get("tool_calls") and not m.get("content"):
                        self.texts.append(("assistant", "", False))
            self.tool_names = [(t.get("function") or {}).get("name", "") for t in b.get("tools") or []]
        elif self.proto == "responses":
            self._add("system", b.get("instructions") or "")
            inp = b.get("input") or []
            if isinstance(inp, str):
                inp = [{"role": "user", "content": inp}]
            for m in inp:
                t = m.get("type", "message")
                if t == "message":
                    self._add(m.get("role"), m.get("content"))
                elif t.endswith("_call"):
                    self.texts.append(("assistant", json.dumps(m)[:500], False))
                elif t.endswith("_output"):
                    self.texts.append(("user", json.dumps(m.get("output")), True))
            for t in b.get("tools") or []:
                n = t.get("name") or t.get("type", "")
                self.tool_names.append(n)
                if t.get("type") == "custom":
                    self.custom_tools.add(n)
        else:
            si = b.get("systemInstruction") or {}
            self._add("system", si.get("parts") if isinstance(si, dict) else str(si))
            for m in b.get("contents", []):
                self._add("assistant" if m.get("role") == "model" else "user", m.get("parts"))
                if m.get("role") == "model" and not any("text" in p for p in m.get("parts", [])):
                    self.texts.append(("assistant", "", False))
            for t in b.get("tools") or []:
                self.tool_names += [f.get("name", "") for f in t.get("functionDeclarations") or []]

    @property
    def has_tools(self):
        return bool(self.tool_names)

    @property
    def prompt(self):
        users = [t for r, t, tr in self.texts if r == "user" and not tr]
        return users[-1] if users else ""

    @property
    def last_tool_result(self):
        tr = [t for r, t, is_tr in self.texts if is_tr]
        return tr[-1] if tr else None

    @property
    def turn(self):
        """assistant messages since the last user prompt which is not a tool result"""
        n = 0
        for role, _t, tr in reversed(self.texts):
            if role == "user" and not tr:
                break
            if role == "assistant":
                n += 1
        return n

    @property
    def cwd(self):
        blob = "\n".join(t for _r, t, _x in self.texts)
        for p in CWD_PATTERNS:
            m = re.search(p, blob)
            if m and m.group(1).strip().startswith("/"):
                return m.group(1).strip().rstrip(".")
        return None


def map_tool(step, req):
    """portable {"tool": "write"|"shell"} -> (tool name, input) as this client offers it"""
    if "call" in step:
        return step["call"], step.get("input", {})
    names = req.tool_names
    low = {n.lower(): n for n in names}
    kind = step["tool"]
    if kind == "write":
        path, content = step["path"], step["content"]
        absolute = path if path.startswith("/") else os.path.join(req.cwd or "", path)
        if "Write" in names:
            return "Write", {"file_path": absolute, "content": content}
        if "write_file" in low:
            return low["write_file"], {"file_path": absolute, "content": content}
        if "write" in low:
            return low["write"], {"filePath": absolute, "content": content}
        if "apply_patch" in low:
            patch = "*** Begin Patch\n*** Add File: %s\n%s*** End Patch\n" % (
                path, "".join("+" + ln + "\n" for ln in content.splitlines()))
            n = low["apply_patch"]
            return n, (patch if n in req.custom_tools else {"input": patch})
        step = {"tool": "shell", "command": "cat > '%s' <<'EOF_FAKE'\n%sEOF_FAKE" % (path, content)}
    cmd = step["command"]
    for cand, mk in (("Bash", lambda c: {"command": c, "description": "run a command"}),
                     ("run_shell_command", lambda c: {"command": c, "description": "run a command", "is_background": False}),
                     ("exec_command", lambda c: {"cmd": c}),
                     ("shell_command", lambda c: {"command": c}),
                     ("shell", lambda c: {"command": ["bash", "-lc", c]}),
                     ("local_shell", lambda c: {"command": ["bash", "-lc", c]}),
                     ("bash", lambda c: {"command": c, "description": "run a command"})):
        if cand in names:
            inp = mk(cmd)
            if req.proto == "gemini":
                inp.pop("is_background", None)
            return cand, inp
    return step.get("fallback_name", "bash"), {"command": cmd}


# --------------------------------------------------------------------------- the server
class FakeModel:
    def __init__(self, script=None, port=0, log_path=None, bodies=None, quiet=True, host="127.0.0.1"):
        self.host = host
        self.callable = script if callable(script) else None
        self.scenarios = dict(BUILTIN)
        self.default = "ok"
        if script and not self.callable:
            self.load(script)
        self.log, self.lock = [], threading.Lock()
        self.counters = {}
        self.log_path, self.bodies, self.quiet = log_path, bodies, quiet
        self.t0 = time.time()
        fm = self

        class H(_Handler):
            fake = fm

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass

        self.httpd = Server((host, port), H)
        self.port = self.httpd.server_address[1]

    def load(self, script):
        if isinstance(script, (str, os.PathLike)):
            with open(script) as f:
                script = json.load(f)
        if "steps" in script:
            script = {"scenarios": {"default": script}, "default": "default"}
        self.scenarios.update(script.get("scenarios", {}))
        self.default = script.get("default", self.default)

    def url(self, scenario=None, run=None):
        u = "http://%s:%d" % (self.host, self.port)
        if scenario:
            u += "/s/" + scenario + ("/" + run if run else "")
        return u

    def start(self):
        self.thread = threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        return self

    def stop(self):
        self.httpd.shutdown()
        self.httpd.server_close()

    __enter__ = start

    def __exit__(self, *a):
        self.stop()

    def record(self, **row):
        with self.lock:
            row["n"] = len(self.log)
            self.log.append(row)
            if self.log_path:
                with open(self.log_path, "a") as f:
                    f.write(json.dumps(row) + "\n")
        return row

    def pick(self, scenario, run, req, count_only=False):
        """-> (step, index, is_side)"""
        if self.callable:
            return self.callable(req), req.turn, not req.has_tools
        sc = self.scenarios.get(scenario)
        if sc is None:
            return {"error": "bad_request", "message": "fake_model: no scenario %r" % scenario}, -1, False
        steps = sc["steps"]
        side = (not req.has_tools) and sc.get("side", "auto") != "none"
        key = (scenario, run)
        with self.lock:
            done = self.counters.get(key, 0)
            if sc.get("index") == "history":
                i = min(req.turn, len(steps) - 1)
            else:
                i, left = 0, done
                while i < len(steps) - 1:
                    t = steps[i].get("times", 1)
                    if t < 0 or left < t:
                        break
                    left -= t
                    i += 1
            step = steps[i]
            if side:
                bad = any(k in step for k in ("error", "hang", "mid_error", "malformed"))
                if not (bad and step.get("side_too", True)):
                    return {"text": sc.get("side_text", "ok")}, -1, True
                return step, i, True
            self.counters[key] = done + 1
        return step, i, False


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeModel = None

    def log_message(self, *a):
        pass

    # ---- plumbing
    def _json(self, status, obj, headers=None):
        data = obj if isinstance(obj, bytes) else json.dumps(obj).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for k, v in (headers or {}).items():
            self.send_header(k, str(v))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        self.wfile.flush()

    def _sse_start(self, headers=None, ctype="text/event-stream; charset=utf-8"):
        self.send_response(200)
        self.send_header("content-type", ctype)
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        for k, v in (headers or {}).items():
            self.send_header(k, str(v))
        self.end_headers()
        self.wfile.flush()

    def _chunk(self, data):
        if isinstance(data, str):
            data = data.encode()
        if data:
            self.wfile.write(b"%x\r\n" % len(data) + data + b"\r\n")
            self.wfile.flush()

    def _sse_end(self):
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _abort(self):
        """drop the connection in the middle of a chunked body"""
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _wait(self, seconds):
        """sleep, but notice that the client went away"""
        end = time.time() + seconds
        self.connection.settimeout(0.2)
        while time.time() < end:
            try:
                if self.connection.recv(1, socket.MSG_PEEK) == b"":
                    return False
                time.sleep(0.1)
            except (socket.timeout, TimeoutError):
                pass
            except OSError:
                return False
        self.connection.settimeout(None)
        return True

    # ---- verbs
    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        u = urlsplit(self.path)
        fm = self.fake
        if u.path == "/__fake__/health":
            return self._json(200, {"ok": True})
        if u.path == "/__fake__/log":
            return self._json(200, fm.log)
        if self.headers.get("upgrade", "").lower() == "websocket":
            fm.record(t=time.time(), method="GET", path=self.path, proto="websocket", status=426)
            return self._json(426, {"error": {"message": "no websocket here"}})
        fm.record(t=time.time(), method=self.command, path=self.path, proto="get", status=200)
        if u.path.rstrip("/").endswith("/models"):
            ids = ["fake-model", "gpt-5", "gpt-5-codex", "claude-sonnet-4-5", "gemini-2.5-pro", "qwen3-coder-plus"]
            return self._json(200, {"object": "list", "data": [{"id": i, "object": "model", "type": "model", "display_name": i, "created": 1, "owned_by": "fake"} for i in ids],
                                    "models": [], "has_more": False})
        return self._json(200 if u.path in ("", "/") else 404, {"error": {"message": "not found", "type": "not_found_error"}})

    def do_POST(self):
        fm = self.fake
        t_in = time.time()
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b""
            while True:
                n = int(self.rfile.readline().split(b";")[0], 16)
                raw += self.rfile.read(n)
                self.rfile.readline()
                if not n:
                    break
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        u = urlsplit(self.path)
        path = u.path
        if path == "/__fake__/reset":
            with fm.lock:
                fm.counters.clear()
                fm.log.clear()
            return self._json(200, {"ok": True})
        scenario = run = None
        m = re.match(r"^/s/([A-Za-z0-9_.-]+)(?:/(?!v1)([A-Za-z0-9_.-]+))?(/(?:v1|v1beta|chat|responses|messages|models).*)$", path)
        if m:
            scenario, run, path = m.group(1), m.group(2), m.group(3)
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = {}
        model = body.get("model", "")
        stream = bool(body.get("stream"))
        if path.endswith("/count_tokens"):
            fm.record(t=t_in, method="POST", path=self.path, proto="count_tokens", status=200)
            return self._json(200, {"input_tokens": max(1, len(raw) // 4)})
        if path.endswith("/messages"):
            proto = "anthropic"
        elif path.endswith("/chat/completions"):
            proto = "chat"
        elif path.endswith("/responses"):
            proto = "responses"
        elif ":generateContent" in path or ":streamGenerateContent" in path:
            proto = "gemini"
            model = path.split("/models/")[-1].split(":")[0]
            stream = ":streamGenerateContent" in path
        elif ":countTokens" in path:
            fm.record(t=t_in, method="POST", path=self.path, proto="count_tokens", status=200)
            return self._json(200, {"totalTokens": max(1, len(raw) // 4)})
        else:
            fm.record(t=t_in, method="POST", path=self.path, proto="other", status=404)
            return self._json(404, {"error": {"message": "not found", "type": "not_found_error"}})
        req = Req(proto, model, body, dict(self.headers), self.path, stream)
        if scenario is None:
            mk = re.search(r"\[\[scenario:([A-Za-z0-9_.-]+)\]\]", req.prompt)
            key = self.headers.get("x-api-key") or self.headers.get("x-goog-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
            km = re.match(r"sk-dummy-([A-Za-z0-9_]+)$", key or "")
            scenario = mk.group(1) if mk else km.group(1) if km and km.group(1) in fm.scenarios else fm.default
        step, idx, side = fm.pick(scenario, run, req)
        step = dict(step, _model=model)
        row = fm.record(t=t_in, method="POST", path=self.path, proto=proto, model=model, stream=stream, scenario=scenario, run=run,
                        step=idx, side=side, verb=next((k for k in ("error", "hang", "mid_error", "malformed", "tool", "call", "tools", "text") if k in step), "?"),
                        n_tools=len(req.tool_names), turn=req.turn, prompt=req.prompt[-120:], tool_result=(req.last_tool_result or "")[:300], bytes=len(raw))
        if fm.bodies:
            os.makedirs(fm.bodies, exist_ok=True)
            hdr = {k: ("***" if k.lower() in ("authorization", "x-api-key", "x-goog-api-key") else v) for k, v in self.headers.items()}
            with open(os.path.join(fm.bodies, "%04d.json" % row["n"]), "w") as f:
                json.dump({"path": self.path, "headers": hdr, "body": body}, f, indent=1)
        if not fm.quiet:
            print(json.dumps(row), file=sys.stderr, flush=True)
        try:
            self.answer(proto, req, step)
            row["done"] = time.time()
        except (BrokenPipeError, ConnectionResetError, OSError):
            row["client_gone"] = time.time()
            self.close_connection = True

    # ---- answering
    def answer(self, proto, req, step):
        if step.get("delay"):
            if not self._wait(step["delay"]):
                raise BrokenPipeError
        if step.get("hang") == "connect":
            self._wait(step.get("seconds", 3600))
            return self._abort()
        if "error" in step:
            st, h, body = render_error(step["error"], proto, step)
            if proto == "gemini" and req.stream and "alt=sse" not in self.path:
                body = [body]
            return self._json(st, body, h)
        if step.get("hang") == "headers":
            self._sse_start()
            self._wait(step.get("seconds", 3600))
            return self._abort()
        if step.get("malformed") == "html":
            data = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            return
        if step.get("malformed") == "empty":
            self._sse_start()
            return self._sse_end()
        if step.get("malformed") == "garbage":
            self._sse_start()
            self._chunk("\x00\x01 not an event stream {{{{ \n\n")
            return self._sse_end()
        text = step.get("say", "") if any(k in step for k in ("tool", "call", "tools")) else step.get("text", "")
        if step.get("text_bytes"):
            tail = step.get("tail", "")
            n = max(0, step["text_bytes"] - len(text) - len(tail))
            text = text + filler(n) + tail
        calls = []
        if "tools" in step:
            calls = [map_tool(s, req) for s in step["tools"]]
        elif "tool" in step or "call" in step:
            calls = [map_tool(step, req)]
        us = step.get("usage", {})
        usage = {"in": us.get("in", 1200), "out": us.get("out", max(1, len(text) // 4 + 30 * len(calls))), "cached": us.get("cached", 200)}
        gen = {"anthropic": self.ev_anthropic, "chat": self.ev_chat, "responses": self.ev_responses, "gemini": self.ev_gemini}[proto]
        if not req.stream:
            # claude falls back to a non-streaming request after a broken stream, so the
            # fault applies there too, unless the step says "stream_only": true
            fault = not step.get("stream_only")
            if fault and step.get("mid_error"):
                st, h, body = render_error(step["mid_error"], proto, step)
                return self._json(st, body, h)
            if fault and step.get("hang"):
                self._wait(step.get("seconds", 3600))
                return self._abort()
            whole = gen(req, step, text, calls, usage, whole=True)
            if fault and step.get("malformed"):
                data = json.dumps(whole).encode()
                if step["malformed"] == "truncate":      # promised length, then a dropped connection
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data[: len(data) // 2])
                    self.wfile.flush()
                    return self._abort()
                return self._json(200, data[: len(data) // 2])
            return self._json(200, whole, step.get("headers"))
        self._sse_start(step.get("headers"))
        cd = step.get("chunk_delay", 0)
        for kind, ev in gen(req, step, text, calls, usage):
            if kind == "stop" and step.get("mid_error"):
                self._chunk(self.mid_error(proto, step))
                return self._sse_end()
            if kind == "stop" and step.get("malformed") == "no_stop":
                return self._sse_end()
            if kind == "stop" and step.get("malformed") == "truncate":
                self._chunk(ev[: len(ev) // 2])
                return self._abort()
            if kind == "stop" and step.get("hang") == "partial":
                self._wait(step.get("seconds", 3600))
                return self._abort()
            if kind == "stop" and step.get("malformed") == "bad_json":
                self._chunk(ev.replace("}", "", 1).replace('":', '"'))
                return self._sse_end()
            self._chunk(ev)
            if cd:
                time.sleep(cd)
        self._sse_end()

    def mid_error(self, proto, step):
        _st, _h, body = render_error(step["mid_error"], proto, step)
        if proto == "anthropic":
            return "event: error\ndata: %s\n\n" % json.dumps(body)
        if proto == "responses":
            e = body["error"]
            return "event: response.failed\ndata: %s\n\n" % json.dumps(
                {"type": "response.failed", "sequence_number": 99, "response": {"id": "resp_fake", "object": "response", "status": "failed",
                 "error": {"code": e.get("code") or e.get("type"), "message": e["message"]}, "output": []}})
        return "data: %s\n\n" % json.dumps(body)

    @staticmethod
    def _pieces(text, step):
        n = step.get("chunk", max(20, len(text) // 4 + 1) if len(text) < 4000 else 4096)
        return [text[i:i + n] for i in range(0, len(text), n)]

    # each generator yields ("body"|"stop", sse-text); the first "stop" is where faults are put in
    def ev_anthropic(self, req, step, text, calls, usage, whole=False):
        mid = "msg_fake" + uuid.uuid4().hex[:16]
        stop = step.get("stop", "tool_use" if calls else "end_turn")
        u = {"input_tokens": usage["in"], "cache_creation_input_tokens": 0, "cache_read_input_tokens": usage["cached"], "output_tokens": usage["out"], "service_tier": "standard"}
        blocks = ([{"type": "text", "text": text}] if text else []) + [
            {"type": "tool_use", "id": "toolu_fake" + uuid.uuid4().hex[:14], "name": n, "input": i} for n, i in calls]
        if whole:
            return {"id": mid, "type": "message", "role": "assistant", "model": req.model, "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": u}

        def ev(name, d):
            return "event: %s\ndata: %s\n\n" % (name, json.dumps(dict(d, type=name)))

        def gen():
            yield "body", ev("message_start", {"message": {"id": mid, "type": "message", "role": "assistant", "model": req.model, "content": [], "stop_reason": None, "stop_sequence": None, "usage": dict(u, output_tokens=1)}})
            yield "body", ev("ping", {})
            for i, b in enumerate(blocks):
                if b["type"] == "text":
                    yield "body", ev("content_block_start", {"index": i, "content_block": {"type": "text", "text": ""}})
                    for p in self._pieces(text, step):
                        yield "body", ev("content_block_delta", {"index": i, "delta": {"type": "text_delta", "text": p}})
                    if b is blocks[-1] and any(step.get(k) for k in ("malformed", "hang", "mid_error")):
                        yield "stop", ev("content_block_stop", {"index": i})
                        continue
                else:
                    yield "body", ev("content_block_start", {"index": i, "content_block": dict(b, input={})})
                    yield "body", ev("content_block_delta", {"index": i, "delta": {"type": "input_json_delta", "partial_json": json.dumps(b["input"])}})
                yield "body", ev("content_block_stop", {"index": i})
            yield "stop", ev("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": usage["out"]}})
            yield "stop", ev("message_stop", {})
        return gen()

    def ev_chat(self, req, step, text, calls, usage, whole=False):
        cid = "chatcmpl-fake" + uuid.uuid4().hex[:16]
        stop = {"max_tokens": "length", "refusal": "content_filter"}.get(step.get("stop"), step.get("stop")) or ("tool_calls" if calls else "stop")
        u = {"prompt_tokens": usage["in"], "completion_tokens": usage["out"], "total_tokens": usage["in"] + usage["out"],
             "prompt_tokens_details": {"cached_tokens": usage["cached"]}}
        tcs = [{"id": "call_fake" + uuid.uuid4().hex[:14], "type": "function",
                "function": {"name": n, "arguments": i if isinstance(i, str) else json.dumps(i)}} for n, i in calls]
        base = {"id": cid, "created": int(time.time()), "model": req.model, "system_fingerprint": "fp_fake"}
        if whole:
            msg = {"role": "assistant", "content": text or None}
            if tcs:
                msg["tool_calls"] = tcs
            return dict(base, object="chat.completion", choices=[{"index": 0, "message": msg, "finish_reason": stop, "logprobs": None}], usage=u)

        def ev(delta, fin=None, **kw):
            return "data: %s\n\n" % json.dumps(dict(base, object="chat.completion.chunk", choices=[{"index": 0, "delta": delta, "finish_reason": fin, "logprobs": None}], **kw))

        def gen():
            yield "body", ev({"role": "assistant", "content": ""})
            for p in self._pieces(text, step):
                yield "body", ev({"content": p})
            for i, t in enumerate(tcs):
                yield "body", ev({"tool_calls": [{"index": i, "id": t["id"], "type": "function", "function": {"name": t["function"]["name"], "arguments": ""}}]})
                yield "body", ev({"tool_calls": [{"index": i, "function": {"arguments": t["function"]["arguments"]}}]})
            yield "stop", ev({}, stop)
            yield "stop", "data: %s\n\n" % json.dumps(dict(base, object="chat.completion.chunk", choices=[], usage=u))
            yield "stop", "data: [DONE]\n\n"
        return gen()

    def ev_responses(self, req, step, text, calls, usage, whole=False):
        rid = "resp_fake" + uuid.uuid4().hex[:16]
        u = {"input_tokens": usage["in"], "input_tokens_details": {"cached_tokens": usage["cached"]}, "output_tokens": usage["out"],
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": usage["in"] + usage["out"]}
        items = []
        if text:
            items.append({"type": "message", "id": "msg_fake" + uuid.uuid4().hex[:12], "role": "assistant", "status": "completed",
                          "content": [{"type": "output_text", "text": text, "annotations": []}]})
        for n, i in calls:
            c = "call_fake" + uuid.uuid4().hex[:12]
            if isinstance(i, str):
                items.append({"type": "custom_tool_call", "id": "ctc_" + c, "call_id": c, "name": n, "input": i, "status": "completed"})
            else:
                items.append({"type": "function_call", "id": "fc_" + c, "call_id": c, "name": n, "arguments": json.dumps(i), "status": "completed"})
        incomplete = step.get("stop") == "max_tokens"
        base = {"id": rid, "object": "response", "created_at": int(time.time()), "model": req.model, "parallel_tool_calls": True, "tools": [], "tool_choice": "auto", "error": None,
                "incomplete_details": {"reason": "max_output_tokens"} if incomplete else None}
        final = dict(base, status="incomplete" if incomplete else "completed", output=items, usage=u)
        if whole:
            return final
        seq = [0]

        def ev(name, **d):
            seq[0] += 1
            return "event: %s\ndata: %s\n\n" % (name, json.dumps(dict(d, type=name, sequence_number=seq[0])))

        def gen():
            yield "body", ev("response.created", response=dict(base, status="in_progress", output=[]))
            for k, it in enumerate(items):
                if it["type"] == "message":
                    yield "body", ev("response.output_item.added", output_index=k, item=dict(it, content=[], status="in_progress"))
                    yield "body", ev("response.content_part.added", output_index=k, item_id=it["id"], content_index=0, part={"type": "output_text", "text": "", "annotations": []})
                    for p in self._pieces(text, step):
                        yield "body", ev("response.output_text.delta", output_index=k, item_id=it["id"], content_index=0, delta=p)
                    if it is items[-1] and any(step.get(x) for x in ("malformed", "hang", "mid_error")):
                        yield "stop", ev("response.output_text.done", output_index=k, item_id=it["id"], content_index=0, text=text)
                    yield "body", ev("response.output_text.done", output_index=k, item_id=it["id"], content_index=0, text=text)
                    yield "body", ev("response.content_part.done", output_index=k, item_id=it["id"], content_index=0, part=it["content"][0])
                elif it["type"] == "function_call":
                    yield "body", ev("response.output_item.added", output_index=k, item=dict(it, arguments="", status="in_progress"))
                    yield "body", ev("response.function_call_arguments.delta", output_index=k, item_id=it["id"], delta=it["arguments"])
                    yield "body", ev("response.function_call_arguments.done", output_index=k, item_id=it["id"], arguments=it["arguments"])
                else:
                    yield "body", ev("response.output_item.added", output_index=k, item=dict(it, input="", status="in_progress"))
                    yield "body", ev("response.custom_tool_call_input.delta", output_index=k, item_id=it["id"], delta=it["input"])
                    yield "body", ev("response.custom_tool_call_input.done", output_index=k, item_id=it["id"], input=it["input"])
                yield "body", ev("response.output_item.done", output_index=k, item=it)
            yield "stop", ev("response.incomplete" if incomplete else "response.completed", response=final)
        return gen()

    def ev_gemini(self, req, step, text, calls, usage, whole=False):
        stop = {"max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}.get(step.get("stop"), step.get("stop")) or "STOP"
        u = {"promptTokenCount": usage["in"], "candidatesTokenCount": usage["out"], "totalTokenCount": usage["in"] + usage["out"], "cachedContentTokenCount": usage["cached"]}
        base = {"modelVersion": req.model, "responseId": "fake" + uuid.uuid4().hex[:16]}
        fparts = [{"functionCall": {"name": n, "args": i if isinstance(i, dict) else {"input": i}}} for n, i in calls]
        if whole:
            return dict(base, candidates=[{"content": {"role": "model", "parts": ([{"text": text}] if text else []) + fparts}, "finishReason": stop, "index": 0}], usageMetadata=u)

        def ev(parts, fin=None, **kw):
            c = {"content": {"role": "model", "parts": parts}, "index": 0}
            if fin:
                c["finishReason"] = fin
            return "data: %s\r\n\r\n" % json.dumps(dict(base, candidates=[c], **kw))

        def gen():
            for p in self._pieces(text, step):
                yield "body", ev([{"text": p}], usageMetadata={"promptTokenCount": usage["in"], "totalTokenCount": usage["in"]})
            if fparts:
                yield "body", ev(fparts)
            yield "stop", ev([{"text": ""}], stop, usageMetadata=u)
        return gen()


def main():
    ap = argparse.ArgumentParser(description="scripted fake model server on 127.0.0.1")
    ap.add_argument("--port", type=int, default=0)
    ap.add_argument("--script", help="JSON file with scenarios")
    ap.add_argument("--log", help="append one JSON line per request")
    ap.add_argument("--bodies", help="directory for full request bodies (keys masked)")
    ap.add_argument("--port-file", help="write the chosen port here")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    fm = FakeModel(a.script, a.port, a.log, a.bodies, quiet=not a.v).start()
    print("fake_model on http://127.0.0.1:%d pid %d scenarios: %s" % (fm.port, os.getpid(), " ".join(sorted(fm.scenarios))), flush=True)
    if a.port_file:
        with open(a.port_file, "w") as f:
            f.write(str(fm.port))
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        fm.stop()


if __name__ == "__main__":
    main()
