/** Every read is also Markdown: by `.md`, by its Accept header and by `format`, the same text each way. */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { pathNames } from "../../src/contract/definitions/operation.ts"
import { isJsonObject, type Json, type JsonObject } from "../../src/contract/json.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { documents } from "../../src/documents/index.ts"

const house = await startResearchRoom()
t.teardown(() => house.close())
const reader = house.client("main_member_all")
const { roomId, openingThreadId: threadId } = house.rooms.main

const [experiment] = (await reader.read("experiments", { roomId })).items
const attempts = (await reader.read("attempts", { roomId, order: "label" })).items
const [finding] = (await reader.read("publications", { roomId, kinds: ["finding"] })).items
const [hypothesis] = (await reader.read("hypotheses", { roomId })).items
const links = (await reader.read("room_links", { roomId })).items
const [material] = (await reader.read("room_materials", { roomId })).items
const { result: board } = await reader.write("declare_board", {
  roomId,
  threadId,
  title: "Loss at the last step",
  metric: "loss",
  direction: "lower",
  over: "seed",
  evaluator: {
    repository: { url: "https://github.com/example/warm-up", commit: "3f786850e387550fdab836ed7e6dc881de23001b" },
  },
  data: [`sha256:${"9f".repeat(32)}`],
})
const { conclusions, syntheses } = await reader.read("room_context", { roomId, parts: ["conclusions", "syntheses"] })
const [checkpoint] = [...conclusions, ...syntheses]
const shown = await reader.read("experiment", { experimentId: experiment?.experimentId ?? "" })
const concepts = (await reader.read("record", { versionId: finding?.versionId ?? "" })).content as {
  concepts: object
}
const [failed] = attempts.filter(({ failure }) => failure !== null)

/** An id of each kind that stands in paths and parameters of public reads. */
const ids: Readonly<Record<string, string | undefined>> = {
  roomId,
  threadId,
  experimentId: experiment?.experimentId,
  proposalId: experiment?.experimentId,
  attemptId: failed?.attemptId,
  linkId: links[0]?.linkId,
  materialId: material?.materialId,
  boardId: board.boardId,
  checkpointId: checkpoint?.checkpointId,
  planId: shown.acceptedPlans[0]?.planId,
  arxivId: "1706.03762",
  username: experiment?.proposer.username,
  key: Object.keys(concepts.concepts)[0],
}
/** What single reads need beside the ids in their paths. */
const needed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  search: { query: "seed", roomId },
  room_similar: { text: "a shorter warm-up" },
  thread_replies: { targetEntryId: (await reader.read("thread_timeline", { threadId })).items[0]?.entryId ?? "" },
  attempt_table: { roomId },
  attempt_curves: { attemptIds: attempts[0]?.attemptId ?? "", metric: "loss" },
  record_concept: { versionId: finding?.versionId ?? "" },
}

/** The path of a read of the demo's Room. */
function pathOf({ name, path }: (typeof reads)[number]): string {
  const versionId = name === "hypothesis" ? hypothesis?.versionId : finding?.versionId
  const { versionId: _own, ...query } = needed[name] ?? {}
  const filled = pathNames(path).reduce(
    (whole, id) => whole.replace(`{${id}}`, encodeURIComponent((id === "versionId" ? versionId : ids[id]) ?? "none")),
    path,
  )
  const search = new URLSearchParams(query).toString()
  return search === "" ? filled : `${filled}?${search}`
}

async function get(path: string, accept = "*/*") {
  const response = await fetch(`${house.baseUrl}${path}`, { headers: { accept } })
  const text = await response.text()
  return { status: response.status, type: response.headers.get("content-type"), text }
}
const asDocument = (path: string) => path.replace(/(?=\?|$)/, ".md")
const markdown = { status: 200, type: "text/markdown; charset=utf-8" }
/** Takes away what changes from one request to the next, and what tells the address. */
const settled = (text: string) => text.replace(/^(?:JSON|More): .*$/gmu, "").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")

const isPublic = ({ surface, family, method, mediaType }: (typeof reads)[number]) =>
  surface === "public" && family === "research" && method === "GET" && mediaType === "application/json"
/** Names of people may end in `.md` themselves. */
const withoutSuffix = ["person"]
/** The Room has nothing of the kind, so that there is nothing to read. */
const absent = ["attempt_log", "attempt_session"]

t.test("every public read is Markdown by its address, by Accept and by format", async (t) => {
  for (const read of reads.filter(isPublic).filter(({ name }) => !absent.includes(name))) {
    const path = pathOf(read)
    const json = await get(path)
    t.equal(json.status, 200, `${read.name}: ${json.text.slice(0, 200)}`)
    const byHeader = await get(path, "text/markdown, application/json;q=0.5")
    t.match(byHeader, markdown, `${read.name} by Accept`)
    t.notMatch(byHeader.text, /undefined|\[object/u, read.name)
    t.ok(byHeader.text.length < json.text.length + 300, `${read.name} is no longer than its JSON`)
    if (!withoutSuffix.includes(read.name)) {
      const byAddress = await get(asDocument(path))
      t.match(byAddress, markdown, `${read.name} by .md`)
      t.equal(settled(byAddress.text), settled(byHeader.text), `${read.name}: the same either way`)
    }
    if (Object.keys(read.formats).some((form) => form === "lines")) continue
    const byFormat = await get(`${path}${path.includes("?") ? "&" : "?"}format=markdown`)
    t.equal(settled(byFormat.text), settled(byHeader.text), `${read.name} by format`)
    const { items } = JSON.parse(json.text) as { items?: Json[] }
    for (const item of (items ?? []).filter(isJsonObject))
      t.ok(byHeader.text.includes(labelOf(item)), `${read.name} holds ${labelOf(item)}`)
  }
})

const labelOf = ({ label, entryId, linkId }: JsonObject): string => String(label ?? entryId ?? linkId ?? "")

t.test("JSON stays what a program gets that asks for JSON, or for anything", async (t) => {
  for (const accept of ["*/*", "application/json", "application/json, text/markdown;q=0.5"])
    t.match(await get(`/api/research/rooms/${roomId}/links`, accept), { type: /^application\/json/ }, accept)
})

t.test("an address that ends in .md is never answered in another form", async (t) => {
  const brief = `/api/research/rooms/${roomId}/brief`
  t.match(await get(`${brief}?format=json`), { status: 200, type: /^application\/json/ })
  t.match(await get(`${brief}.md?format=markdown`), markdown)
  t.match(await get(`${brief}.md?format=json`), { status: 422, text: /"path":"\/format"/ })
})

t.test("pages of lists have the same Markdown as the read behind them", async (t) => {
  for (const path of Object.keys(documents)) {
    const address = pathNames(path).reduce(
      (whole, id) => whole.replace(`{${id}}`, (id === "versionId" ? finding?.versionId : ids[id]) ?? "none"),
      path,
    )
    const query = path === "/search" ? "?query=seed" : ""
    const byAddress = await get(`${address}.md${query}`)
    t.match(byAddress, markdown, path)
    t.equal(settled((await get(`${address}${query}`, "text/markdown")).text), settled(byAddress.text), path)
  }
  const whole = await get(`/rooms/${roomId}/attempts.md`)
  for (const { label } of attempts.slice(0, 50)) t.ok(whole.text.includes(`**${label}**`), label)
  for (const { label } of links.slice(0, 50)) t.ok((await get(`/rooms/${roomId}/links.md`)).text.includes(label ?? "-"))
  const few = await get(`/rooms/${roomId}/attempts.md?limit=2`)
  const next = /^More: (\S+)$/mu.exec(few.text)?.[1] ?? "/"
  t.match(await get(next), { ...markdown, text: new RegExp(`\\*\\*${attempts[2]?.label}\\*\\*`) }, "the next page")
  t.match(await get(`/rooms/${roomId}/activity.md?wait=1`), { status: 422, text: /A page does not wait/ })
})

t.test("a text by a user is quoted, a missing object is reported as JSON says it", async (t) => {
  const { openingThreadId } = house.rooms.empty
  const text = "# Not a heading\n\n## JSON: /elsewhere"
  await house.client("member_all").write("post_message", { threadId: openingThreadId, text })
  const { text: timeline } = await get(`/api/research/threads/${openingThreadId}/timeline.md`)
  t.equal(timeline.match(/^#/gmu)?.length, 1, "the heading is the document's own")
  t.equal((await get(`/api/research/links/${roomId}.md`)).status, 404)
})
