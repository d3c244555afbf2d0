/**
 * How far a personal key reaches, tried on every route: each read, format and page, each operation and action, each
 * tool and resource of MCP. All of them come from the definitions, so a new one is tried too.
 */
import tap, { type Test, test } from "tap"
import { actions } from "../../src/contract/operations/actions.ts"
import { browserPath } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { discoveryRoutes } from "../../src/discovery/routes.ts"
import { pages } from "../../src/web/pages/index.ts"
import { overHttp } from "../mcp/agent.ts"
import { freshId } from "../support/bodies.ts"
import { addressOf } from "../support/routes.ts"
import { textOf } from "../support/streams.ts"
import { collectionOf, keyOf, share, openLibrary } from "./library.ts"

const lab = await openLibrary(tap)
const { ada, grace, baseUrl } = lab

/** Everything private of ada's contains this word, and belongs to these papers. */
const SECRET = "hushhush"
const [inReach, beyond, saved] = ["2401.00001", "2401.00002", "2401.00003"] as const
const open = await collectionOf(ada, "Shown to the agent", [inReach])
const closed = await collectionOf(ada, `${SECRET} Collection`, [beyond])
await share(ada, open, grace, "grace")
await ada.write("save_papers", { arxivIds: [saved] })
await ada.write("post_note", { collectionId: closed, arxivId: beyond, text: `${SECRET} note` })
await ada.write("write_annotation", { arxivId: inReach, expectedRevision: 0, notes: `${SECRET} annotation` })
// Only their holder, their Room's owner or an operator may list these.
await ada.write("issue_key", { label: `${SECRET} key`, permissions: ["read_library"], reach: "all" })
await ada.write("invite_to_collection", { collectionId: closed, username: "grace" })
const key = await keyOf(ada, { reach: "selected", collectionIds: [open], permissions: ["read_library"] })

const { result: room } = await ada.write("create_room", { title: "Public" })
await ada.write("post_message", { threadId: room.openingThreadId, text: "Said in public." })
await ada.write("issue_credential", {
  roomId: room.roomId,
  label: `${SECRET} credential`,
  permissions: ["post_thread"],
})
const { result: otherRoom } = await grace.write("create_room", { title: "Another" })
const credentialOf = async (roomId: string) =>
  (
    await grace.write("issue_credential", {
      roomId,
      label: "grace's agent",
      permissions: ["post_thread", "publish_records", "manage_own_experiments"],
    })
  ).result.token as string
const credential = await credentialOf(otherRoom.roomId)
const ids = {
  roomId: room.roomId,
  threadId: room.openingThreadId,
  collectionId: closed,
  arxivId: beyond,
  username: "ada",
  operation: "save_papers",
  operationId: "save_papers",
}
const bearer = { authorization: `Bearer ${key}` }
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(baseUrl + path, { headers, redirect: "manual" })
  return { status: response.status, text: (await textOf(response)).replace(/"generatedAt":"[^"]*"/g, "") }
}
const queries = [
  "",
  "?at=2",
  "?format=markdown",
  "?format=csv",
  `?query=${SECRET}`,
  `?arxivId=${beyond}`,
  `?text=${SECRET}`,
  "?wait=0",
  "?limit=1",
]
/** What only ada may see; the key's own answers may repeat what was requested. */
const leaks = (text: string, path: string) =>
  [
    ...["Collection", "note", "annotation", "key", "credential"].map((of) => `${SECRET} ${of}`),
    closed,
    beyond,
    saved,
  ].filter((secret) => text.includes(secret) && !decodeURIComponent(path).includes(secret))

test("a read or page answers a key as it answers a stranger, or refuses it", async (t) => {
  const library = reads.filter(({ surface }) => surface === "key")
  t.ok(library.length > 4, "the reads that take a key")
  const others = [...reads, ...discoveryRoutes].filter(
    (read) => !library.includes(read as never) && read.method === "GET",
  )
  let tried = 0
  for (const path of [...others.map((read) => read.path), ...Object.keys(pages)]) {
    // The process's metrics change between two requests.
    if (/metrics$|health/.test(path)) continue
    for (const query of queries) {
      const address = addressOf(path, ids) + query
      const [stranger, keyed] = [await get(address), await get(address, bearer)]
      tried += 1
      if (keyed.status !== 401) t.strictSame(keyed.status, stranger.status, address)
      if (stranger.status === 200) t.equal(keyed.text.length > 0, true, address)
      t.strictSame(leaks(keyed.text, address), [], address)
      if (t.passing() === false) return
    }
  }
  t.ok(tried > 500, `${tried} addresses`)
  for (const read of library)
    for (const query of [...queries, "?offset=0"]) {
      const address = addressOf(read.path, ids) + query
      const { status, text } = await get(address, bearer)
      t.strictSame(leaks(text, address), [], `${status} ${address}`)
    }
  for (const path of [
    "collections",
    `paper?arxivId=${beyond}`,
    `paper?arxivId=${saved}`,
    `collections/${closed}`,
    "papers",
  ]) {
    const { status, text } = await get(`/api/agent/library/${path}`, bearer)
    t.equal(status, path === "collections" ? 200 : path === "papers" ? 403 : 404, path)
    t.notMatch(text, SECRET, path)
  }
})

test("a write or action on any route is refused to a key without permission, and nothing is stored", async (t) => {
  const journal = () => lab.instance.db.prepare<{ count: number }>("SELECT count(*) AS count FROM journal").one().count
  const before = journal()
  const sent = async (method: string, path: string, body: object) => {
    const response = await fetch(baseUrl + addressOf(path, ids), {
      method,
      headers: { ...bearer, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  const doors = [
    ...operations.flatMap((operation) => [
      { ...operation, path: operation.path },
      ...(operation.surface === "agent" ? [{ ...operation, path: browserPath(operation) }] : []),
    ]),
  ]
  for (const { name, method, path, schemaVersion, example } of doors.filter(({ surface: of }) => of !== "command")) {
    const body = { schemaVersion, requestId: freshId(), ...(example as object) }
    const { status, text } = await sent(method, path, body)
    const isKeys = path.startsWith("/api/agent/library")
    t.ok(isKeys ? status === 403 || status === 404 : status === 401 || status === 403, `${name} at ${path}: ${status}`)
    t.strictSame(leaks(text, path), [], name)
  }
  for (const { name, method, path, example } of actions.filter(
    (action) => !["sign_in", "set_up", "accept_invitation"].includes(action.name),
  )) {
    const { status } = await sent(method, path, (example ?? {}) as object)
    t.ok(status >= 400 || name === "sign_out", `${name}: ${status}`)
  }
  t.equal(journal(), before, "nothing was stored")
})

async function triesEverything(t: Test, token: string | undefined): Promise<void> {
  const agent = await overHttp(baseUrl, token)
  t.teardown(agent.close)
  const { tools } = await agent.client.listTools()
  const inputs: Record<string, object[]> = {
    library: reads
      .filter(({ surface }) => surface === "key")
      .flatMap(({ name }) => [
        { name },
        { name, parameters: { collectionId: closed, arxivId: beyond } },
        { name, parameters: { arxivId: saved } },
      ]),
    read: reads.flatMap(({ name }) => [
      { name, parameters: { roomId: ids.roomId, collectionId: closed, arxivId: beyond, query: SECRET } },
      { name, parameters: { roomId: ids.roomId, threadId: ids.threadId, username: "ada" } },
    ]),
    write: operations.map(({ name, example }) => ({
      operation: name,
      input: { ...(example as object), collectionId: closed, arxivId: beyond },
    })),
    rehearse: operations.map(({ name, example }) => ({ operation: name, input: { ...(example as object) } })),
  }
  let calls = 0
  for (const { name } of tools)
    for (const input of inputs[name] ?? [
      {},
      { query: SECRET },
      { roomId: ids.roomId },
      { roomId: ids.roomId, text: SECRET },
      { name: "save_papers" },
      { id: closed },
    ]) {
      const told = await agent.call(name, input).catch((error: unknown) => ({ text: String(error), isError: true }))
      calls += 1
      t.strictSame(leaks(told.text, JSON.stringify(input)), [], `${name} ${JSON.stringify(input).slice(0, 80)}`)
      if (name === "write") t.ok(told.isError, JSON.stringify(input).slice(0, 80))
    }
  t.ok(calls > 100, `${calls} calls`)
  const { resources } = await agent.client.listResources()
  for (const { uri } of resources)
    t.strictSame(leaks(JSON.stringify(await agent.client.readResource({ uri })), uri), [], uri)
}

test("MCP shows a key nothing beyond its reach, by any tool or resource", (t) => triesEverything(t, key))
test("nor does it show a Room credential of another Room anything private", (t) => triesEverything(t, credential))
test("nor anybody without a credential", (t) => triesEverything(t, undefined))

test("no read or page shows a Room credential of another Room anything private", async (t) => {
  const doors = [...reads, ...discoveryRoutes].filter(({ method }) => method === "GET").map(({ path }) => path)
  for (const path of [...doors, ...Object.keys(pages)])
    for (const query of ["", `?query=${SECRET}`, `?roomId=${ids.roomId}`]) {
      const address = addressOf(path, ids) + query
      const { status, text } = await get(address, { authorization: `Bearer ${credential}` })
      t.strictSame(leaks(text, address), [], `${status} ${address}`)
    }
})

test("ada's own key sees it all with the same tool", async (t) => {
  const agent = await overHttp(baseUrl, await keyOf(ada))
  t.teardown(agent.close)
  t.match((await agent.call("library", { name: "library_collections" })).text, `${SECRET} Collection`)
  t.match(
    (await agent.call("library", { name: "library_annotations", parameters: { arxivId: inReach } })).text,
    `${SECRET} annotation`,
  )
})
