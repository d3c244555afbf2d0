/** The client on real sockets: cut, half answered, silent, refused, and during a restart of the service. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ResearchRoomClient, type Sleep, textOf } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { openLog } from "../../src/log.ts"
import { startService } from "../../src/app/service.ts"
import { noted } from "./faults.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { openingThreadId: threadId } = room.rooms.empty
const token = room.credentials.member_all.token
const direct = room.client("member_all")

interface Answer {
  readonly status: number
  readonly body: string
}
/** What a proxy does with one answer of the service. */
type Treatment = (answer: Answer, response: ServerResponse) => void

const passOn: Treatment = ({ status, body }, response) =>
  response.writeHead(status, { "content-type": "application/json" }).end(body)
const cut: Treatment = (_answer, response) => response.destroy()
const halve: Treatment = ({ status, body }, response) => {
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length })
  response.write(body.slice(0, body.length / 2), () => response.destroy())
}

const address = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
async function serve(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/**
 * A proxy in front of the service that handles answers as instructed, one after the other, and passes on all later
 * ones.
 */
async function proxy(...treatments: Treatment[]): Promise<string> {
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { authorization = "", "content-type": type = "" } = request.headers
    const answer = await fetch(`${room.baseUrl}${request.url}`, {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    })
    ;(treatments.shift() ?? passOn)({ status: answer.status, body: await answer.text() }, response)
  })
  return address(server)
}

t.test("a connection cut after delivery, and one cut in the middle of the answer", async (t) => {
  for (const treatment of [cut, halve]) {
    const { sleep, slept } = noted()
    const agent = new ResearchRoomClient({ baseUrl: await proxy(treatment), token, sleep })
    const receipt = await agent.write("post_message", {
      threadId,
      text: `Through a proxy that would ${treatment.name}.`,
    })
    t.equal(receipt.replayed, true, treatment.name)
    t.same(slept, [0.5])
  }
})

t.test("a service that never answers counts as lost after the time limit", async (t) => {
  const silent = await serve(() => {})
  const agent = new ResearchRoomClient({ baseUrl: address(silent), token, timeout: 0.1, retries: 1, ...noted() })
  await t.rejects(agent.write("post_message", { threadId, text: "Anybody there?" }), {
    name: "UncertainDelivery",
    message: /timeout/,
  })
})

t.test("nothing listens at the address", async (t) => {
  const server = await serve(() => {})
  const baseUrl = address(server)
  await new Promise((resolve) => server.close(resolve))
  const { sleep, slept } = noted()
  await t.rejects(new ResearchRoomClient({ baseUrl, sleep }).read("rooms"), {
    name: "ConnectionLost",
    message: /ECONNREFUSED/,
  })
  t.equal(slept.length, 4)
})

t.test("a redirect is not followed: no other server gets the credential", async (t) => {
  const asked: (string | undefined)[] = []
  const elsewhere = await serve((request, response) => {
    asked.push(request.headers.authorization)
    response.end("{}")
  })
  const moved = await serve((_request, response) => response.writeHead(307, { location: address(elsewhere) }).end())
  const agent = new ResearchRoomClient({ baseUrl: address(moved), token })
  await t.rejects(agent.write("post_message", { threadId, text: "Whither?" }), {
    name: "UnexpectedAnswer",
    status: 307,
    message: new RegExp(`moved to ${address(elsewhere)}`),
  })
  await t.rejects(agent.identity(), { name: "UnexpectedAnswer", status: 307 })
  t.same(asked, [])
})

t.test("a service below a path is reached there", async (t) => {
  const asked: (string | undefined)[] = []
  const server = await serve((request, response) => {
    asked.push(request.url)
    response.end(JSON.stringify({ items: [], hasMore: false, nextCursor: null }))
  })
  await new ResearchRoomClient({ baseUrl: `${address(server)}/research/` }).read("rooms", { query: "a & b" })
  t.same(asked, ["/research/api/research/rooms?query=a+%26+b"])
})

t.test("a follower and a writer survive a restart of the service", async (t) => {
  const data = mkdtempSync(join(tmpdir(), "research-room-restart-"))
  t.teardown(() => rmSync(data, { recursive: true, force: true }))
  const before = await startResearchRoom({ data })
  const { roomId, openingThreadId } = before.rooms.empty
  const sleep: Sleep = () => new Promise((resolve) => setTimeout(resolve, 20))
  const agent = before.client("member_all", { sleep, retries: 100 })

  const texts: (string | undefined)[] = []
  const following = (async () => {
    for await (const { sequence, entryId } of agent.follow(roomId, {
      after: (await agent.read("room", { roomId })).activityWatermark,
    })) {
      const { items } = await agent.read("thread_timeline", { threadId: openingThreadId })
      texts.push(textOf(items.find((entry) => entry.entryId === entryId)?.message?.text))
      if (texts.length === 2) return sequence
    }
    return 0
  })()
  await agent.write("post_message", { threadId: openingThreadId, text: "Before the restart." })
  await before.close()
  const writing = agent.write("post_message", { threadId: openingThreadId, text: "Sent while the service was down." })
  const after = await startService({
    data,
    host: "127.0.0.1",
    port: Number(new URL(before.baseUrl).port),
    repositories: { folders: [], github: null },
    log: openLog("silent"),
  })
  t.teardown(() => after.close())

  t.equal((await writing).activity?.sequence, await following)
  t.same(texts, ["Before the restart.", "Sent while the service was down."])
})

t.test("a starting service says so, and a client waits for it", async (t) => {
  const server = await serve(() => {})
  const port = Number(new URL(address(server)).port)
  await new Promise((resolve) => server.close(resolve))

  const failures: unknown[] = []
  const patient = new ResearchRoomClient({
    baseUrl: `http://127.0.0.1:${port}`,
    retries: 2000,
    sleep: () => new Promise((resolve) => setTimeout(resolve, 5)),
    fetch: async (url, init) => {
      const answer = await fetch(url, init)
      if (!answer.ok)
        failures.push([
          answer.status,
          answer.headers.get("retry-after"),
          ((await answer.clone().json()) as { refusal: string }).refusal,
        ])
      return answer
    },
  })
  const [ready, starting] = await Promise.all([patient.ready(), startResearchRoom({ port })])
  t.teardown(() => starting.close())
  t.equal(ready.status, "ready")
  t.ok(failures.length > 0, "it was requested before it was ready")
  t.ok(failures.every((failure) => JSON.stringify(failure) === '[503,"1","temporarily_unavailable"]'))
})

// shows: When delivery is uncertain the same is sent again after retryAfter, and nothing is written twice.
t.test("none of this was written twice", async (t) => {
  const texts: string[] = []
  for await (const { message } of direct.items("thread_messages", { threadId })) texts.push(textOf(message?.text) ?? "")
  t.same(texts, ["Through a proxy that would cut.", "Through a proxy that would halve."])
})
