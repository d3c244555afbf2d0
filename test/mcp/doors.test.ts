/**
 * Agents reach by MCP what HTTP offers, with the same key and no more: refusals are answers they can act on, tools are
 * few, nothing is kept between two messages, and invalid messages are refused.
 */
import * as fc from "fast-check"
import { startResearchRoom } from "research-room/testing"
import tap from "tap"
import { agentOperations } from "../../src/discovery/manifest.ts"
import { limits } from "../../src/contract/limits.ts"
import { standardRates } from "../../src/edge/limits/rate-limits.ts"
import { openLog } from "../../src/log.ts"
import { startService } from "../../src/app/service.ts"
import { ask, type Json } from "../support/ask.ts"
import { executable, newPlace, run } from "../support/program.ts"
import { temporaryFolder } from "../support/service.ts"
import { type Agent, overHttp } from "./agent.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.empty
const all = house.credentials.member_all
const text = (value: Json | undefined) => value as unknown as string

const agents = {
  none: await overHttp(house.baseUrl),
  credential: await overHttp(house.baseUrl, all.token),
  key: await overHttp(house.baseUrl, house.keys.all.token),
}
tap.teardown(() => Promise.all(Object.values(agents).map((agent) => agent.close())))
const withToken = async (token: string): Promise<Agent> => {
  const agent = await overHttp(house.baseUrl, token)
  tap.teardown(agent.close)
  return agent
}

/** A message as a client sends it, or an invalid one. */
const message = (body: unknown, headers: Readonly<Record<string, string>> = {}, token?: string) =>
  fetch(`${house.baseUrl}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }
const opening = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } },
})

tap.test("what everybody may read is compressed; what is asked or written in the caller's name is not", async (t) => {
  const encodingOf = async (method: string, params: object) => {
    const answer = await message({ jsonrpc: "2.0", id: 1, method, params }, { "accept-encoding": "br" }, all.token)
    const told = await answer.text()
    t.equal(answer.status, 200)
    t.match(told, /"result"/)
    t.ok(told.length > 1_024 || method === "tools/call", `${method}: ${told.length} characters`)
    return answer.headers.get("content-encoding")
  }
  const skill = { uri: `${house.baseUrl}/mcp/skill.md` }
  t.equal(await encodingOf("tools/list", {}), "br")
  t.equal(await encodingOf("resources/read", skill), "br")
  t.equal(await encodingOf("tools/call", { name: "schema", arguments: { name: "publish_finding" } }), "br")
  t.equal(await encodingOf("tools/call", { name: "brief", arguments: { roomId: house.rooms.main.roomId } }), "br")
  t.equal(await encodingOf("tools/call", { name: "brief", arguments: {} }), null, "the Room of the credential")
  const messages = {
    operation: "post_message",
    input: { threadId, text: "A long word. ".repeat(200) },
    receipt: "whole",
  }
  t.equal(await encodingOf("tools/call", { name: "write", arguments: messages }), null)
  t.equal(await encodingOf("tools/call", { name: "inbox", arguments: { after: 0 } }), null)
  t.equal(await encodingOf("tools/call", { name: "whoami", arguments: {} }), null)
})

tap.test("the tools are few and short to read; each bearer sees those that it can use", async (t) => {
  const named: Record<string, string[]> = {}
  for (const [bearer, { client }] of Object.entries(agents)) {
    const { tools } = await client.listTools()
    named[bearer] = tools.map(({ name }) => name)
    t.ok(tools.length <= 15, `${bearer}: ${tools.length} tools`)
    const described = tools.reduce((bytes, { description = "" }) => bytes + Buffer.byteLength(description), 0)
    t.ok(described < 3_000, `${bearer}: descriptions of ${described} bytes`)
    t.ok(Buffer.byteLength(JSON.stringify(tools)) < 6_500, `${bearer}: ${JSON.stringify(tools).length} bytes in all`)
    t.ok(tools.every(({ description }) => (description ?? "").length > 20))
  }
  const reading = ["rooms", "brief", "next", "search", "open", "schema"]
  const writing = ["rehearse", "write"]
  const more = ["similar", "activity", "evidence", "read"]
  t.strictSame(
    named,
    {
      none: [...reading, ...more],
      credential: [
        "whoami",
        ...reading,
        ...writing,
        "similar",
        "activity",
        "inbox",
        "evidence",
        "read",
        "upload_figure",
      ],
      key: ["whoami", "library", ...reading, ...writing, ...more],
    },
    "the first ten are what an agent needs",
  )
  const { tools } = await agents.credential.client.listTools()
  const operation = tools.find(({ name }) => name === "write")?.inputSchema.properties?.operation
  t.strictSame(
    (operation as { enum: string[] }).enum,
    agentOperations.filter(({ family }) => family === "research").map(({ name }) => name),
  )
})

tap.test("a read gives the same answer as over HTTP, to everyone who may read it", async (t) => {
  const { call } = agents.credential
  const main = house.rooms.main.roomId
  const { items } = (await call("read", { name: "hypotheses", parameters: { roomId: main } })).body
  const versionId = text((items as unknown as Json[])[0]?.versionId)
  const pairs: [string, object, string, string?][] = [
    ["read", { name: "record", parameters: { versionId } }, `/api/research/records/${versionId}`],
    ["read", { path: `/api/research/records/${versionId}` }, `/api/research/records/${versionId}`],
    ["read", { path: `${house.baseUrl}/records/${versionId}` }, `/records/${versionId}.md`],
    ["open", { versionId }, `/records/${versionId}.md`],
    ["open", { roomId: main }, `/rooms/${main}.md`],
    ["next", { roomId: main }, `/api/research/rooms/${main}/next`],
    ["whoami", {}, "/api/agent/research/identity", all.token],
    ["read", { name: "health_live" }, "/api/health/live"],
  ]
  for (const [tool, input, path, token] of pairs) {
    const over = await ask(`${house.baseUrl}${path}`, {
      token,
      ...(path.endsWith(".md") && { fetch: globalThis.fetch }),
    })
    // The answer contains the time it was made; nothing else may differ.
    const timeless = (answer: string) => answer.replace(/"generatedAt":"[^"]+"/, "")
    t.equal(timeless((await call(tool, input)).text), timeless(over.text), `${tool} ${path}`)
  }
})

tap.test("a refusal is an answer the agent can act on", async (t) => {
  const { call } = agents.credential
  const nowhere = await call("evidence", { versionId: crypto.randomUUID() })
  t.match(nowhere, { isError: true, text: /^Refused: There is no such record.*\(unknown_record, 404\)\n/ })
  const wrong = await call("write", { operation: "create_thread", input: { roomId, titel: "x" } })
  t.match(wrong, {
    isError: true,
    body: { refusal: "invalid_schema", committed: false, issues: [{ path: "/title" }, { path: "/titel" }] },
  })
  t.match(wrong.text, /schema/, "and says where the fields are described")
  t.match(await call("write", { operation: "post_message", input: { text: "where?" } }), {
    isError: true,
    text: /post_message needs threadId/,
  })
  t.match(await call("write", { operation: "create_room", input: {} }), { isError: true, text: /no such operation/ })
  t.match(await call("rooms", { limit: 51 }), { isError: true, body: { refusal: "invalid_parameter" } })

  const clientMessageId = crypto.randomUUID()
  t.notOk(
    (await call("write", { operation: "post_message", input: { threadId, clientMessageId, text: "one" } })).isError,
  )
  const other = await call("write", { operation: "post_message", input: { threadId, clientMessageId, text: "two" } })
  t.match(other, { isError: true, body: { refusal: "request_conflict" } })

  const proposal = { roomId, threadId, question: "What happens on a conflict?", scope: "Here.", hypotheses: [] }
  const { experimentId } = (await agents.credential.write("propose_experiment", proposal)).result as Json
  const stale = { experimentId, expectedRevision: 9, expectedStatus: "open" }
  t.match((await call("write", { operation: "take_experiment", input: stale })).body, {
    refusal: "state_conflict",
    current: {},
  })
})

tap.test("input, parameters and writes sent as JSON text are read, and text that is no JSON is refused", async (t) => {
  const { call } = agents.credential
  const input = JSON.stringify({ threadId, text: "Sent as text" })
  t.match(await call("rehearse", { operation: "post_message", input }), { isError: false })
  const sent = await call("write", { operation: "post_message", input })
  t.match(sent, { isError: false, body: { operation: "post_message" } }, sent.text)
  const writes = JSON.stringify([{ operation: "post_message", input: `\uFEFF${input}` }])
  t.match(await call("write", { writes }), { isError: false })
  const parameters = JSON.stringify({ threadId })
  t.match((await call("read", { name: "thread_messages", parameters })).text, /Sent as text/)
  for (const input of ["not JSON", null, [], 7])
    t.match(await call("write", { operation: "post_message", input }), {
      isError: true,
      text: /input must be an object/,
    })
  t.match(await call("read", { name: "thread_messages", parameters: "[" }), {
    isError: true,
    text: /must be an object/,
  })
})

tap.test("what is refused over HTTP is refused here", async (t) => {
  const post = (input: object = {}) => ({ operation: "post_message", input: { threadId, text: "may I?", ...input } })
  const thread = { operation: "create_thread", input: { roomId, title: "May I?" } }
  const may = await withToken(house.credentials.member_post_only.token)
  t.notOk((await may.call("write", post())).isError, "with the permission it is allowed")
  const grant = await (await withToken(house.credentials.member_publish_only.token)).call("write", post())
  t.match(grant, { isError: true, body: { refusal: "permission_missing" } }, "the wrong permission")
  const scope = await (await withToken(house.credentials.member_thread_scoped.token)).call("write", thread)
  t.match(scope, { isError: true, body: { refusal: "scope_missing" } }, "the wrong scope")
  const archived = { operation: "create_thread", input: { roomId: house.rooms.archived.roomId, title: "Too late" } }
  const late = await (await withToken(house.credentials.archived_member_all.token)).call("write", archived)
  t.match(late, { isError: true, body: { current: { room: { state: "archived" } } } })

  t.match(
    await agents.none.call("write", post()),
    { isError: true, text: /not available to you/ },
    "without a credential nothing is written",
  )
  t.match(await agents.none.call("read", { name: "identity" }), {
    isError: true,
    body: { refusal: "not_authenticated" },
  })
  t.match(
    await agents.key.call("write", post()),
    { isError: true, body: { refusal: "not_authenticated" } },
    "a key does not write in a Room",
  )
  const library = { operation: "save_papers", input: { arxivIds: ["1706.03762"] } }
  t.match(
    await agents.credential.call("write", library),
    { isError: true, text: /401/ },
    "and a credential does not write in a Library",
  )

  t.notOk((await agents.key.call("write", library)).isError)
  t.match((await agents.key.call("library", { name: "library_papers" })).text, /1706\.03762/)
  const readOnly = await withToken(house.keys.read_only.token)
  t.match(await readOnly.call("write", library), { isError: true, body: { refusal: "not_authorized" } })
  for (const path of [
    "/metrics",
    "/account",
    "/api/session",
    `/api/rooms/${roomId}/members`,
    "/assets/x",
    "https://example.org/api/manifest",
  ])
    t.match(await agents.credential.call("read", { path }), { isError: true, text: /Tools can read nothing at/ }, path)
})

tap.test("an invalid key is refused, whatever the request", async (t) => {
  for (const token of [
    house.credentials.member_expired.token,
    house.credentials.member_revoked.token,
    house.keys.expired.token,
    "rrc_no",
  ]) {
    const answer = await message(list, {}, token)
    t.equal(answer.status, 401)
    t.equal(answer.headers.get("www-authenticate"), "Bearer")
    t.notMatch(await answer.text(), token)
  }
  t.equal((await message(list, { authorization: `Basic ${all.token}` })).status, 401)
})

tap.test("an agent of another protocol version gets a clear answer", async (t) => {
  const answered = async (answer: Response) => (await answer.json()) as Json
  const offered = await answered(await message(opening("1999-01-01")))
  t.match(offered.result, { protocolVersion: /^20\d\d-\d\d-\d\d$/ }, "at the handshake it is offered one")
  const header = await message(list, { "mcp-protocol-version": "1999-01-01" })
  t.equal(header.status, 400)
  t.match(await answered(header), { error: { message: /1999-01-01.*supported.*2025/s } })
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2099-01-01",
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const future = await message(
    { ...list, params: { _meta: meta } },
    { "mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list" },
  )
  t.equal(future.status, 400)
  t.match(await answered(future), { error: { data: { supported: ["2026-07-28"], requested: "2099-01-01" } } })
})

tap.test("activity tells the entries of a Thread, too, after a sequence and by kind", async (t) => {
  const { call } = agents.credential
  const created = await call("write", { operation: "create_thread", input: { roomId, title: "Entries" } })
  const of = text(created.body.target?.id)
  const post = (words: string) =>
    call("write", { operation: "post_message", input: { threadId: of, text: words }, receipt: "whole" })
  await post("The first word.")
  await post("The second word.")
  const all = await call("activity", { threadId: of })
  t.match(all, { isError: false, text: /The first word\.[^]*The second word\./ })
  const later = await call("activity", { threadId: of, after: 2, kinds: "message" })
  t.match(later.text, "The second word.")
  t.notMatch(later.text, "The first word.")
  t.notMatch((await call("activity", { threadId: of, kinds: "claim_work" })).text, "word.")
})

tap.test("the arguments of a tool are checked like a request to its route", async (t) => {
  const long = "x".repeat(100_000)
  for (const [tool, input] of [
    ["search", { query: long }],
    ["brief", { roomId: long }],
    ["similar", { roomId, text: long }],
    ["activity", { roomId, after: "1", kinds: long }],
    ["open", { roomId: long }],
    ["read", { name: "attempt_table", parameters: { attemptIds: `${long},`.repeat(3) } }],
    ["read", { path: `/api/research/rooms?query=${long}` }],
  ] as const) {
    const { isError, text: said } = await agents.credential.call(tool, input)
    t.ok(isError, tool)
    t.ok(said.length < 2_000, `${tool} says so in ${said.length} characters`)
  }
  const prompted = agents.credential.client.getPrompt({
    name: "start",
    arguments: { roomId, task: long.repeat(2).slice(0, 5_000) },
  })
  await t.rejects(prompted, /task is over 4000 characters/)
})

tap.test("an invalid message is refused, and nothing is held open", async (t) => {
  const refusal = async (answer: Response) => [answer.status, ((await answer.json()) as Json).refusal]
  t.same(await refusal(await message(list, { origin: "https://example.org" })), [403, "browser_origin"])
  t.same(await refusal(await message(list, { origin: house.baseUrl })), [403, "browser_origin"])
  t.same(await refusal(await message("{", {})), [422, "invalid_schema"])
  t.same(await refusal(await message([list, list])), [422, "invalid_schema"], "a batch")
  t.same(await refusal(await message(list, { "content-type": "text/plain" })), [415, "not_json"])
  t.same(await refusal(await message({ ...list, params: { x: "x".repeat(limits.strangerBodyBytes) } })), [
    413,
    "request_too_large",
  ])
  t.same(await refusal(await message({ ...list, params: { x: "x".repeat(limits.requestBodyBytes) } }, {}, all.token)), [
    413,
    "request_too_large",
  ])
  t.same(await refusal(await fetch(`${house.baseUrl}/mcp`)), [405, "method_not_allowed"], "nothing is pushed")
  t.same(
    await refusal(await fetch(`${house.baseUrl}/mcp`, { method: "DELETE" })),
    [405, "method_not_allowed"],
    "there is no session to end",
  )
  t.equal((await message(opening("2025-06-18"))).headers.get("mcp-session-id"), null)
  const listening = await message(
    {
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
  )
  t.match(await listening.text(), /limit reached/)
})

tap.test("no tool call, whatever it contains, ends in an internal error", async (t) => {
  const names = (await agents.credential.client.listTools()).tools.map(({ name }) => name)
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("../../metrics", "%2e%2e%2f", "a\u0000b", "record", "?", "{roomId}"),
  )
  const input = fc.dictionary(
    fc.constantFrom(
      "roomId",
      "threadId",
      "versionId",
      "name",
      "parameters",
      "path",
      "operation",
      "input",
      "query",
      "arxivId",
      "__proto__",
      "limit",
    ),
    value,
    { maxKeys: 4 },
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names, "constructor"), input, async (name, arguments_) => {
      const answer = await message(
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: arguments_ } }),
        {},
        all.token,
      )
      const said = await answer.text()
      if (/failed while|Internal error|TypeError|at \w+ \(/.test(said) || answer.status >= 500) throw new Error(said)
    }),
    { numRuns: 300 },
  )
  const { client } = agents.credential
  for (const uri of [
    "file:///etc/passwd",
    `${house.baseUrl}/metrics`,
    `${house.baseUrl}/rooms/nothing.md`,
    "http://169.254.169.254/x.md",
    "nonsense",
  ])
    await t.rejects(client.readResource({ uri }), uri)
  await t.rejects(client.getPrompt({ name: "start", arguments: {} }), /needs roomId/)
  await t.rejects(client.getPrompt({ name: "begin", arguments: {} }), /There is no prompt/)
  await t.rejects(client.listResources({ cursor: "nonsense" }), /cursor|after/)
  t.match(await agents.credential.call("schema", { name: "constructor" }), { isError: true })
  const { call: ask } = agents.credential
  t.match(await ask("schema", { name: "measurements" }), { isError: true, text: /nearest are .*room_measurements/ })
  t.match(await ask("read", { name: "measurements" }), { isError: true, text: /nearest are .*room_measurements/ })
  const described = await ask("schema", { name: "room_ledger,room_links" })
  t.match(described, { isError: false, text: /"title":"room_ledger".*"maximum":200[^]*"title":"room_links"/ })
  const mixed = await ask("schema", { name: "room_ledger,post_message" })
  t.match(mixed, { isError: false, text: /"title":"room_ledger"[^]*"title":"post_message"/ }, "both at once")
  const listed = (await ask("schema", {})).text.length + (await ask("schema", { name: "reads" })).text.length
  t.ok(listed <= 12_000, `all names: ${listed} bytes`)
})

tap.test("an answer that is too long to read says how to ask for less", async (t) => {
  const { call } = agents.credential
  const main = house.rooms.main.roomId
  const asked = { name: "room_context", parameters: { roomId: main } }
  const { text: cut, body } = await call("read", asked)
  t.ok(Buffer.byteLength(cut) <= limits.toolAnswerBytes)
  t.match(body, {
    room: { roomId: main },
    cut: /^Cut from [\d,]+ bytes: \d+ of \d+ in \/.*ask read room_context with bytes up to 100,000, with parts/,
  })
  const whole = await call("read", { ...asked, bytes: limits.toolAnswerMost })
  t.equal(whole.body.cut, undefined, "it is whole on request")
  t.ok(whole.text.length > cut.length)

  const { body: page } = await call("read", { name: "room_activity", parameters: { roomId: main, include: "content" } })
  const { items, links } = page as unknown as { items: { sequence: number }[]; links: { next: string } }
  t.match(
    page,
    { cut: /^A page of \d+ items, so that it fits. links.next is the next page/ },
    "a list is cut to a page",
  )
  const { body: following } = await call("read", { path: links.next })
  t.equal(
    Number((following.items as unknown as Json[])[0]?.sequence),
    (items.at(-1)?.sequence ?? 0) + 1,
    "which continues where it ends",
  )

  const long = {
    threadId: text((await agents.credential.write("create_thread", { roomId, title: "Long" })).target?.id),
  }
  const writes = Array.from({ length: 20 }, () => ({
    operation: "post_message",
    input: { ...long, text: "It is read. ".repeat(150) },
  }))
  t.notOk((await call("write", { writes })).isError)
  const thread = await call("open", long)
  t.ok(Buffer.byteLength(thread.text) <= limits.toolAnswerBytes)
  t.match(thread.text, /\n\[Cut from [\d,]+ bytes. For more ask again with bytes up to 100,000.\]\n$/)
  t.notMatch((await call("open", { ...long, bytes: 100_000 })).text, /\[Cut/)
  t.match(await call("read", { name: "openapi" }), {
    isError: true,
    text: /has [\d,]+ bytes, over the 16,000 available/,
  })
  t.match(await call("read", { name: "openapi", bytes: 1e9 }), {
    isError: true,
    text: /fetch \/api\/openapi\.json over HTTP/,
  })
})

tap.test("agents are counted like everyone, by address and by credential", async (t) => {
  const data = temporaryFolder()
  const one = { perMinute: 1, atOnce: 5 }
  const service = await startService({
    data,
    host: "127.0.0.1",
    port: 0,
    log: openLog("silent"),
    repositories: { folders: [], github: null },
    trustProxy: "on",
    rateLimits: { ...standardRates, addressRequests: one },
  })
  t.teardown(() => service.close())
  const from = (tool: string) =>
    fetch(`${service.baseUrl}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "x-forwarded-for": "203.0.113.7",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } }),
    })
  const told = []
  for (let times = 0; times < 4; times += 1) told.push(await (await from("rooms")).text())
  t.match(told[0], /items/)
  t.match(told[2], /too_many_requests/, "each call counts for the message and for its request")
  t.match(told[3], /too_many_requests/)
})

tap.test("the program for pipes reports a wrong call before it begins", async (t) => {
  const place = newPlace()
  t.teardown(place.remove)
  const told = async (...args: string[]) => {
    const { code, out, err } = await run(executable(), ["mcp", ...args], place)
    t.equal(out, "", "standard output is for the protocol")
    t.match(err, /^[^\n]+\n$/, "one line")
    return [code, err] as const
  }
  t.match(await told(), [2, /--url/])
  t.match(await told("--url", "ftp://x"), [2, /http/])
  t.match(await told("--url", "http://127.0.0.1:9"), [1, /No answer came from http:\/\/127\.0\.0\.1:9/])
  t.match(await told("--url", `${house.baseUrl}/nowhere`), [1, /is not the address/])
  t.match(await told("--url", house.baseUrl, "--tokken", "x"), [2, /unknown option/])
})
