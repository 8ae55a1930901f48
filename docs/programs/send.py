"""Sends a PDF, waits for the webhook that says everybody has signed, and keeps the signed file with
its evidence file. PARAPHE_URL, PARAPHE_KEY, PARAPHE_WEBHOOK_SECRET, PORT; python3 send.py Bail.pdf"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

URL, KEY = os.environ["PARAPHE_URL"], os.environ["PARAPHE_KEY"]
SECRET = base64.b64decode(os.environ["PARAPHE_WEBHOOK_SECRET"].removeprefix("whsec_"))


def call(method, path, body=None):
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    if method == "POST":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except urllib.error.HTTPError as refusal:  # Its body has `code` and `detail`.
        sys.exit(f"{method} {path}: {refusal.read().decode()}")


def is_known(headers, body):
    """Standard Webhooks: HMAC-SHA-256 of id, time and body, five minutes at most."""
    message_id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    signed = f"{message_id}.{at}.".encode() + body
    ours = b"v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    known = any(hmac.compare_digest(ours, one) for one in given)
    return known and abs(time.time() - int(at)) < 300


class Receiver(BaseHTTPRequestHandler):
    completed = False

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        known = is_known(self.headers, body)
        self.send_response(204 if known else 401)
        self.end_headers()
        event = json.loads(body) if known else {}
        if event.get("type") == "envelope.completed" and event["data"]["id"] == envelope["id"]:
            Receiver.completed = True


with open(sys.argv[1], "rb") as file:
    content = base64.b64encode(file.read()).decode()
asked = {
    "title": os.environ.get("TITLE", "Bail"),
    "recipients": [{"full_name": "Paul Morel", "email": "paul.morel@exemple.fr"}],
    "files": [{"name": "Bail.pdf", "content": content}],
    "send": True,
}
server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
envelope = json.loads(call("POST", "/api/signature/envelopes/", asked))
path = f"/api/signature/envelopes/{envelope['id']}"
while not Receiver.completed:
    server.handle_request()

link = json.loads(call("GET", f"{path}/download/"))["download_url"]
with open(f"{envelope['id']}.pdf", "wb") as file:
    file.write(urllib.request.urlopen(URL + link).read())
with open(f"{envelope['id']}-preuve.pdf", "wb") as file:
    file.write(call("GET", f"{path}/evidence/"))
