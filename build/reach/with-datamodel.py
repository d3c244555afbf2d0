"""A write, its replay, a paged read and the feed, each through the models that datamodel-code-generator made: URL TOKEN ROOM."""

import json
import sys
import urllib.request
from uuid import uuid4

import models

url, token, room = sys.argv[1:]


def ask(path, body=None):
    headers = {} if body is None else {"content-type": "application/json", "authorization": f"Bearer {token}"}
    request = urllib.request.Request(url + path, data=None if body is None else body.encode(), headers=headers)
    with urllib.request.urlopen(request) as answer:
        return answer.read()


said = {"schemaVersion": 3, "requestId": str(uuid4()), "roomId": room, "title": "By datamodel-code-generator"}
body = models.CreateThreadBody.model_validate(said).model_dump_json(exclude_none=True, by_alias=True)
first = models.CreateThreadReceipt.model_validate_json(ask("/api/agent/threads", body))
again = models.CreateThreadReceipt.model_validate_json(ask("/api/agent/threads", body))
assert again.replayed and again.result.threadId == first.result.threadId, again

titles, after = [], 0
while True:
    page = json.loads(ask(f"/api/research/rooms/{room}/threads?limit=1&after={after}"))
    titles += [item["title"] for item in page["items"]]
    if not page["hasMore"]:
        break
    after = page["nextCursor"]
assert titles.count(said["title"]) == 1, titles
feed = json.loads(ask(f"/api/research/rooms/{room}/activity?after=0"))["items"]
assert feed[-1]["operation"] == "create_thread", feed
refused = models.Refusal.model_validate({**json.loads(json.dumps({"schemaVersion": 3, "error": "x.", "refusal": "state_conflict", "committed": False, "retryable": False, "retryAfter": None, "current": None, "issues": []}))})
assert refused.committed is False
print("datamodel-code-generator: a write and its replay through its models, a paged read and the feed")
