"""Writes, a replay, a paged read and the feed with the client of openapi-python-client: URL TOKEN ROOM."""

import sys
from uuid import UUID, uuid4

from made import AuthenticatedClient, Client
from made.api.agent_writes import create_thread, post_message, propose_experiment
from made.api.public_reads import room_activity, room_threads
from made.models import CreateThread, PostMessage, ProposeExperiment

url, token, room = sys.argv[1:]
agent = AuthenticatedClient(base_url=url, token=token)
anyone = Client(base_url=url)

body = CreateThread(schema_version=3, request_id=uuid4(), room_id=UUID(room), title="By openapi-python-client")
first = create_thread.sync(client=agent, body=body)
again = create_thread.sync(client=agent, body=body)
assert again.replayed is True and again.result.thread_id == first.result.thread_id, again

thread = first.result.thread_id
message = PostMessage(schema_version=3, client_message_id=uuid4(), text="Posted by openapi-python-client")
assert post_message.sync(thread, client=agent, body=message).operation == "post_message"
proposal = ProposeExperiment(
    schema_version=3,
    request_id=uuid4(),
    room_id=UUID(room),
    thread_id=thread,
    question="Does a generated client propose?",
    scope="Here.",
    hypotheses=[],
)
assert propose_experiment.sync(client=agent, body=proposal).result.label.startswith("E")

titles, after = [], 0
while True:
    page = room_threads.sync(UUID(room), client=anyone, limit=1, after=after)
    titles += [thread.title for thread in page.items]
    if not page.has_more:
        break
    after = page.next_cursor
assert titles.count("By openapi-python-client") == 1, titles

feed = room_activity.sync(UUID(room), client=anyone, after=0)
assert feed.items[0].kind == "room_created" and feed.items[-1].operation == "propose_experiment", feed
print("openapi-python-client: a Thread, its replay, a message, a proposal, a paged read and the feed")
