/** Query parameters: each read accepts those of its definition, once and well-formed, and names the one that is not. */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { reads } from "../../src/contract/reads/index.ts"
import type { CursorKind } from "../../src/contract/definitions/read.ts"
import { ask } from "../support/ask.ts"
import { addressOf } from "../support/routes.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.main
const own = house.client("main_member_all")
const attempt = (await own.read("attempts", { roomId })).items[0]
const hypothesis = (await own.read("hypotheses", { roomId })).items[0]
const entry = (await own.read("thread_timeline", { threadId })).items[0]
const material = (await own.read("room_materials", { roomId })).items[0]

/** Ids of the story, for every read with an id in its path. */
const ids = {
  roomId,
  threadId,
  versionId: hypothesis?.versionId ?? "",
  key: "lowers",
  arxivId: "2401.01234",
  materialId: material?.materialId ?? "",
  attemptId: attempt?.attemptId ?? "",
  experimentId: attempt?.experimentId ?? "",
  proposalId: attempt?.experimentId ?? "",
  planId: attempt?.planId ?? "",
}
const publicReads = reads.filter(({ surface, method }) => surface === "public" && method === "GET")
/** Required parameters. */
const needed: Readonly<Record<string, string>> = {
  thread_replies: `targetEntryId=${entry?.entryId}`,
  search: "query=warm",
  attempt_table: `roomId=${roomId}`,
  attempt_curves: `attemptIds=${attempt?.attemptId}&metric=loss`,
}
const urlOf = (name: string, path: string, query = "") => {
  const parts = [needed[name], query].filter(Boolean).join("&")
  return `${house.baseUrl}${addressOf(path, ids)}${parts === "" ? "" : `?${parts}`}`
}

/** Returns how a bad query was answered: the parameters that the refusal names. */
async function blamed(url: string): Promise<unknown> {
  const { status, body } = await ask(url)
  return status === 422 && String(body.refusal) === "invalid_parameter"
    ? (body.issues as unknown as { path: string }[]).map(({ path }) => path)
    : `${status} ${body.refusal}`
}

// shows: 422 for a schema violation, a malformed cursor or parameter, an unknown exact reference.
test("every read refuses an unknown parameter, and one given twice", async (t) => {
  for (const { name, path } of publicReads) {
    t.strictSame(await blamed(urlOf(name, path, "colour=red")), ["/colour"], `${name} has no colour`)
    t.strictSame(await blamed(urlOf(name, path, "__proto__=1")), ["/__proto__"], `${name} has no prototype`)
  }
  for (const { name, path, cursor } of publicReads.filter(({ cursor }) => cursor !== null)) {
    t.strictSame(await blamed(urlOf(name, path, "limit=1&limit=2")), ["/limit"], `${name}, a ${cursor} list`)
  }
})

// shows: A page holds at most fifty items; limit asks for fewer.
// shows: skill: paging
test("limit is a whole number from 1 to the size of a page", async (t) => {
  for (const { name, path, query } of publicReads.filter(({ cursor }) => cursor !== null)) {
    if (!Object.hasOwn(query.entries, "limit")) continue
    for (const limit of ["0", "-1", "1.5", "01", "1e1", "", " 1", "one", "1000000"])
      t.strictSame(
        await blamed(urlOf(name, path, `limit=${encodeURIComponent(limit)}`)),
        ["/limit"],
        `${name}: limit=${limit}`,
      )
    t.equal((await ask(urlOf(name, path, "limit=1"))).status, 200)
  }
  t.strictSame(await blamed(`${house.baseUrl}/api/research/rooms?limit=51`), ["/limit"], "51 is one too many")
  t.equal((await ask(`${house.baseUrl}/api/research/rooms?limit=50`)).status, 200)
})

/** Cursors that no list of this kind ever returned. */
const malformed: Readonly<Record<CursorKind, readonly string[]>> = {
  sequence: ["-1", "1.5", "abc", "", "0x10", "1e3", "99999999999999999999", roomId],
  offset: ["-1", "1.5", "abc", "", roomId],
  uuid: ["0", "abc", "", "01a1bd97-236f-7061-9d0e", "{01a1bd97-236f-7061-9d0e-aa552f129fb6}"],
  opaque: [
    "0",
    "abc",
    "",
    roomId,
    "e30",
    "W10",
    Buffer.from('["a","b","c"]').toString("base64url"),
    Buffer.from("[1]").toString("base64url"),
    Buffer.from('["a"] ').toString("base64url"),
    "💥",
  ],
}

// shows: Each list has the kind of cursor of the document.
test("a malformed cursor is refused on every list, by the kind of its cursor", async (t) => {
  const lists = publicReads.filter(({ cursor, query }) => cursor !== null && Object.hasOwn(query.entries, "after"))
  t.strictSame(
    new Set(lists.map(({ cursor }) => cursor).filter((kind) => kind !== "offset")),
    new Set(["sequence", "uuid", "opaque"]),
    "every kind is covered",
  )
  for (const { name, path, cursor } of lists) {
    for (const after of malformed[cursor as CursorKind]) {
      t.strictSame(
        await blamed(urlOf(name, path, `after=${encodeURIComponent(after)}`)),
        ["/after"],
        `${name} (${cursor}) after ${after}`,
      )
    }
  }
})

/** Values that no parameter accepts, and values that some accept and others do not. */
const odd = [
  "",
  "💥",
  "\0",
  "-1",
  "1.5",
  "x".repeat(201),
  roomId,
  "00000000-0000-4000-8000-000000000000",
  "label",
  "setting:x",
  "1",
]

test("a wrong parameter is refused before the first byte, in every format of an answer", async (t) => {
  const inForms = publicReads.flatMap((read) => Object.keys(read.formats).map((form) => ({ ...read, form })))
  t.ok(inForms.some(({ form }) => form === "jsonl"))
  for (const { name, path, query, form, formats } of inForms)
    for (const parameter of Object.keys(query.entries))
      for (const value of odd) {
        if (parameter === "format" || needed[name]?.includes(`${parameter}=`)) continue
        const what = `${name} as ${form}, ${parameter}=${value.slice(0, 40)}`
        const asked = (more: string) => fetch(urlOf(name, path, `${parameter}=${encodeURIComponent(value)}${more}`))
        const [inJson, inForm] = await Promise.all([asked(""), asked(`&format=${form}`)])
        await inJson.arrayBuffer()
        const text = await inForm
          .text()
          .catch((error: unknown) => t.fail(`${what} was cut off`, { error: String(error) }))
        if (inForm.status === 200) t.match(inForm.headers.get("content-type"), formats[form]?.mediaType, what)
        else t.match(JSON.parse(String(text)), { committed: false }, what)
        // Files have an order of their own.
        if (parameter !== "order") t.equal(inForm.status, inJson.status, what)
      }
})

// shows: A label filter needs a Room.
test("filters accept what their definition says and name what they do not", async (t) => {
  const faults: Readonly<Record<string, readonly string[]>> = {
    [`/api/research/rooms/${roomId}/activity?kinds=post_message,fly`]: ["/kinds"],
    [`/api/research/rooms/${roomId}/activity?kinds=`]: ["/kinds"],
    [`/api/research/rooms/${roomId}/activity?wait=61`]: ["/wait"],
    [`/api/research/rooms/${roomId}/activity?wait=-1&after=x`]: ["/wait", "/after"],
    [`/api/research/threads/${threadId}/timeline?kinds=message,fly`]: ["/kinds"],
    [`/api/research/threads/${threadId}/replies`]: ["/targetEntryId"],
    [`/api/research/threads/${threadId}/replies?targetEntryId=one`]: ["/targetEntryId"],
    "/api/research/hypotheses?roomId=one": ["/roomId"],
    "/api/research/hypotheses?label=H1": ["/roomId"],
    [`/api/research/hypotheses?label=E1&roomId=${roomId}`]: ["/label"],
    [`/api/research/hypotheses?label=H0&roomId=${roomId}`]: ["/label"],
    "/api/research/attempts?status=running": ["/status"],
    "/api/research/attempts?intent=curiosity&experimentId=x": ["/intent", "/experimentId"],
    "/api/research/materials?valuesDigest=sha256:xyz": ["/valuesDigest"],
    [`/api/research/rooms?query=${"x".repeat(201)}`]: ["/query"],
    "/api/research/rooms?query=%00": ["/query"],
  }
  for (const [path, expected] of Object.entries(faults)) {
    const found = await blamed(`${house.baseUrl}${path}`)
    t.strictSame(new Set(found as string[]), new Set(expected), path)
  }
})

test("filters find matching items", async (t) => {
  const get = async (path: string) =>
    (await ask(`${house.baseUrl}${path}`)).body.items as unknown as Record<string, unknown>[]
  t.strictSame(
    (await get(`/api/research/hypotheses?label=H2&roomId=${roomId}`)).map(({ label }) => label),
    ["H2"],
  )
  t.strictSame(await get(`/api/research/hypotheses?label=H999&roomId=${roomId}`), [])
  t.strictSame(
    (await get("/api/research/rooms?query=SOLUTIONS")).map((room) => room.roomId),
    [roomId],
    "letter case is ignored",
  )
  t.strictSame(await get("/api/research/rooms?query=%25"), [], "a wildcard is an ordinary character")
  t.strictSame(await get("/api/research/rooms?query=_"), [])
  const kinds = (await get(`/api/research/rooms/${roomId}/activity?kinds=publish_hypothesis,take_experiment`)).map(
    ({ kind }) => kind,
  )
  t.strictSame(new Set(kinds), new Set(["publish_hypothesis", "take_experiment"]))
  const entries = (await get(`/api/research/threads/${threadId}/timeline?kinds=publication,message`)).map(
    ({ kind }) => kind,
  )
  t.strictSame(new Set(entries), new Set(["publication", "message"]))
  t.ok(
    (await get(`/api/research/threads/${threadId}/timeline`)).some((each) => "receipt" in each),
    "without kinds there are receipts too",
  )
})
