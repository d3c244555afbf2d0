/**
 * A body is stored as it was sent, or refused at the value that could not be, on every kind of route that takes JSON.
 */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { type Answer, ask } from "../support/ask.ts"
import { action, freshId, hypothesis, message } from "../support/bodies.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.empty
const agent = { token: house.credentials.member_all.token }
const { owner } = house.people
const signedIn = await ask(`${house.baseUrl}/api/session`, {
  body: { username: owner.username, password: owner.password },
  headers: { origin: house.baseUrl },
})
const inBrowser = {
  headers: { origin: house.baseUrl, cookie: signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "" },
}
const issues = ({ body }: Answer) => (body.issues as unknown as { path: string }[]).map(({ path }) => path)
const attempt = (configuration: string): string =>
  JSON.stringify({
    schemaVersion: 3,
    requestId: freshId(),
    attemptId: freshId(),
    experimentId: freshId(),
    intent: "exploratory",
    expectedRevision: 1,
    expectedStatus: "claimed",
    repository: { url: "https://github.com/ada/warm-up", commit: "0".repeat(40) },
    argv: ["x"],
    inputs: [],
    configuration: {},
  }).replace('"configuration":{}', `"configuration":${configuration}`)

test(
  "a number that does not fit in a double is refused at its path, " + "and one that fits passes to the next check",
  async (t) => {
    const url = `${house.baseUrl}/api/agent/research/register_attempt`
    for (const number of ["9007199254740993", "1e-400", "1e400", "-0", "0.1000000000000000055511151231257827"]) {
      const answer = await ask(url, { ...agent, raw: attempt(`{"seed":[1,${number}]}`) })
      t.strictSame(
        [answer.status, answer.body.refusal, issues(answer)],
        [422, "invalid_schema", ["/configuration/seed/1"]],
        number,
      )
    }
    for (const number of ["9007199254740992", "1.0", "1e2", "0.1", "5e-324"])
      t.equal((await ask(url, { ...agent, raw: attempt(`{"seed":${number}}`) })).status, 404, number)
  },
)

test("a duplicate property name is refused, for agents, in the Library, for people and at sign-in", async (t) => {
  const twice = (body: object) => JSON.stringify(body).replace(/^\{"(\w+)":/, '{"$1":3,"$1":')
  const library = { schemaVersion: 1, requestId: freshId(), arxivIds: ["1706.03762"] }
  const room = { schemaVersion: 3, requestId: freshId(), title: "Twice" }
  const cases = {
    "an agent": await ask(`${house.baseUrl}/api/agent/threads/${threadId}/messages`, {
      ...agent,
      raw: twice(message()),
    }),
    "an agent's record": await ask(`${house.baseUrl}/api/agent/research/publish_hypothesis`, {
      ...agent,
      raw: JSON.stringify(action(hypothesis({ roomId, threadId }))).replace(/\}$/, ',"scope":"Another one."}'),
    }),
    "the Library": await ask(`${house.baseUrl}/api/agent/library/save_papers`, {
      token: house.keys.all.token,
      raw: twice(library),
    }),
    "the browser": await ask(`${house.baseUrl}/api/rooms`, { ...inBrowser, raw: twice(room) }),
    "the door": await ask(`${house.baseUrl}/api/session`, {
      headers: { origin: house.baseUrl },
      raw: `{"username":"${owner.username}","password":"wrong wrong wrong","password":"${owner.password}"}`,
    }),
  }
  for (const [who, answer] of Object.entries(cases)) {
    const path = who === "the door" ? "/password" : who === "an agent's record" ? "/scope" : "/schemaVersion"
    const code = who === "the Library" ? "invalid_request" : "invalid_schema"
    t.strictSame([answer.status, answer.body.refusal, issues(answer)], [422, code, [path]], who)
    t.notMatch(answer.text, owner.password, "the sent value is not repeated")
  }
})

test("a byte order mark before JSON is no part of it, on every kind of route", async (t) => {
  const marked = (body: object) => `\uFEFF${JSON.stringify(body)}`
  const library = { schemaVersion: 1, requestId: freshId(), arxivIds: ["1706.03762"] }
  const post = message()
  const posting = { operation: "post_message", params: { threadId }, body: message() }
  const cases = {
    "an agent": await ask(`${house.baseUrl}/api/agent/threads/${threadId}/messages`, { ...agent, raw: marked(post) }),
    "a batch": await ask(`${house.baseUrl}/api/agent/research/batch`, { ...agent, raw: marked({ writes: [posting] }) }),
    "the Library": await ask(`${house.baseUrl}/api/agent/library/save_papers`, {
      token: house.keys.all.token,
      raw: marked(library),
    }),
    "a person": await ask(`${house.baseUrl}/api/rooms`, {
      ...inBrowser,
      raw: marked({ schemaVersion: 3, requestId: freshId(), title: "Marked", question: "Is it read?" }),
    }),
    "sign-in": await ask(`${house.baseUrl}/api/session`, {
      headers: { origin: house.baseUrl },
      raw: marked({ username: owner.username, password: owner.password }),
    }),
  }
  for (const [name, { status, body }] of Object.entries(cases))
    t.ok(status === 200 || status === 201, `${name}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
  const mcp = await fetch(`${house.baseUrl}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: marked({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  })
  t.match(await mcp.json(), { result: { tools: [{ name: "rooms" }] } }, "MCP")
  const again = await ask(`${house.baseUrl}/api/agent/threads/${threadId}/messages`, { ...agent, body: post })
  t.match(again.body, { replayed: true }, "the same body without the mark is the same delivery")
})
