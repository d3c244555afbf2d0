/** The test instance: its contents, who can sign in to it, and how it ends. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"

const room = await startResearchRoom()
t.teardown(() => room.close())

t.test("it is the demo, by name", async (t) => {
  t.same(Object.keys(room.people), ["owner", "member", "visitor"])
  t.same(Object.keys(room.rooms), ["main", "empty", "archived"])
  const identity = await room.client("main_owner_all").identity()
  t.match(identity, { userId: room.people.owner.userId, room: { id: room.rooms.main.roomId, archived: false } })
  t.equal((await room.client("member_all").read("room", { roomId: room.rooms.archived.roomId })).state, "archived")
  t.equal(room.client("member_all").baseUrl, room.baseUrl)
})

t.test("it describes itself", async (t) => {
  const client = room.client("member_all")
  const [ready, manifest] = [await client.ready(), await client.manifest()]
  t.match(ready, { status: "ready", instanceId: manifest.instanceId, protocolVersion: manifest.protocolVersion })
  t.equal(manifest.baseUrl, room.baseUrl)
  t.ok(
    manifest.operations.some(
      ({ name, path }) => name === "post_message" && path === "/api/agent/threads/{threadId}/messages",
    ),
  )
  await using other = await startResearchRoom()
  t.not((await other.client("member_all").ready()).instanceId, ready.instanceId)
})

t.test("people do in the browser what agents cannot", async (t) => {
  const owner = await room.browser("owner")
  t.match(await owner.read("session"), { person: { username: room.people.owner.username } })
  const { result } = await owner.write("create_room", { title: "From the browser" })
  await owner.write("add_member", { roomId: result.roomId, username: room.people.visitor.username })

  const visitor = await room.browser("visitor")
  t.match(
    (await visitor.read("members", { roomId: result.roomId })).items.map(({ username }) => username),
    [room.people.owner.username, room.people.visitor.username],
  )
  const message = await visitor.write("post_message", { threadId: result.openingThreadId, text: "I am here." })
  t.equal(message.roomId, result.roomId)
  await t.rejects(visitor.write("archive_room", { roomId: result.roomId, reason: "I do not like it." }), {
    name: "RefusedError",
    status: 403,
    refusal: "role_required",
  })

  const issued = await visitor.write("issue_credential", {
    roomId: result.roomId,
    label: "my agent",
    permissions: ["post_thread"],
  })
  const agent = new ResearchRoomClient({ baseUrl: room.baseUrl, token: issued.result.token })
  t.equal((await agent.identity()).username, room.people.visitor.username)

  await owner.write("remove_member", { roomId: result.roomId, userId: room.people.visitor.userId })
  await t.rejects(agent.write("post_message", { threadId: result.openingThreadId, text: "And now?" }), {
    name: "RefusedError",
    status: 403,
    refusal: "not_a_member",
  })
})

t.test("requests as a page would send them, and as another site would", async (t) => {
  const owner = await room.browser(room.people.owner)
  const body = { schemaVersion: 3, requestId: crypto.randomUUID(), title: "By hand" }
  t.equal((await owner.request("POST", "/api/rooms", body)).status, 200)
  const foreign = await owner.request("POST", "/api/rooms", body, { origin: "https://elsewhere.example" })
  t.equal(foreign.status, 403)
  t.match(await foreign.json(), { refusal: "browser_origin" })
  t.equal((await owner.request("GET", "/api/session")).headers.get("content-type"), "application/json; charset=utf-8")

  t.equal((await owner.request("DELETE", "/api/session", {})).status, 200)
  t.match(await owner.read("session"), { person: null }, "signed out")
  await t.rejects(owner.write("create_room", { title: "Signed out" }), {
    name: "RefusedError",
    status: 401,
    refusal: "not_authenticated",
  })
  await t.rejects(
    room.browser({ username: room.people.owner.username, password: "something else" }),
    /ada could not sign in: 401/,
  )
})

t.test("a deterministic instance is the same at every start", async (t) => {
  const start = async () => {
    await using instance = await startResearchRoom({ deterministic: true })
    const { baseUrl: _random, people, rooms, credentials, keys, repositories } = instance
    const client = instance.client("member_all")
    const receipt = await client.write("post_message", {
      threadId: rooms.empty.openingThreadId,
      text: "Again.",
      clientMessageId: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e",
    })
    return {
      people,
      rooms,
      credentials,
      keys,
      repositories,
      receipt,
      context: await client.read("thread_context", { threadId: rooms.main.openingThreadId }),
    }
  }
  t.same(await start(), await start())
})

t.test("its data stays in the folder it is given, and nowhere otherwise", async (t) => {
  const data = mkdtempSync(join(tmpdir(), "research-room-kept-"))
  t.teardown(() => rmSync(data, { recursive: true, force: true }))
  const kept = await startResearchRoom({ data })
  await kept.close()
  await kept.close()
  t.ok(existsSync(join(data, "research-room.db")))
  await t.rejects(startResearchRoom({ data }), { name: "UsageError" })
  await t.rejects(startResearchRoom({ port: Number(new URL(room.baseUrl).port) }), { name: "ListenError" })
})

t.test("it closes at once, also with a follower", async (t) => {
  const instance = await startResearchRoom()
  const client = instance.client("member_all")
  const stop = new AbortController()
  const following = (async () => {
    for await (const _ of client.follow(instance.rooms.empty.roomId, { after: 2, signal: stop.signal }));
  })()
  await new Promise((resolve) => setTimeout(resolve, 100))
  const started = performance.now()
  await instance.close()
  t.ok(performance.now() - started < 10_000)
  stop.abort()
  await following
})
