/** A Room as an RO-Crate over HTTP: valid, complete, verifiable by anyone, and no burden on the service. */
import { createHash } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import canonicalize from "canonicalize"
import { RefusedError } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { action, freshId, hypothesis } from "../../support/bodies.ts"
import { held } from "../../support/contract.ts"
import { bytesOf, type Entity, unpack } from "./unpacked.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { main, empty, archived } = room.rooms
const grace = room.client("member_all", { fetch: held })
const plain = room.client("member_all")

const exported = async (roomId: string) => bytesOf(await plain.download("room_export", { roomId }))
const zip = await exported(main.roomId)
const crate = unpack(zip)
const sha256 = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`
const canonical = (value: unknown) => canonicalize(value) as string
const idsOf = (value: unknown) => [value].flat().map((reference) => (reference as Entity)["@id"])

interface Entry {
  readonly sequence: number
  readonly operation: string
  readonly contentDigest: string
  readonly digest: string
  readonly previousDigest: string
}

// shows: Added: the Room as an RO-Crate 1.2 with its feed.
t.test("It is a valid RO-Crate 1.2", (t) => {
  t.strictSame(crate.faults(), [], "according to ro-crate-js, with every file and every term")
  t.match(crate.entity("ro-crate-metadata.json"), {
    about: { "@id": "./" },
    conformsTo: { "@id": "https://w3id.org/ro/crate/1.2" },
  })
  const ids = crate.graph.map((entity) => entity["@id"])
  t.equal(new Set(ids).size, ids.length, "nothing is described twice")
  const named = [...JSON.stringify(crate.graph).matchAll(/\{"@id":"([^"]+)"\}/g)].map((match) => match[1] as string)
  t.strictSame(
    [...new Set(named)].filter((id) => !ids.includes(id) && !/^https:\/\/w3id\.org\/ro\/crate\/1\.2$/.test(id)),
    [],
    "and everything named is described",
  )
  t.end()
})

t.test("It describes the Room and the people who worked in it, and says that no licence is stated", async (t) => {
  const { title, activityWatermark, owner } = await grace.read("room", { roomId: main.roomId })
  const root = crate.entity("./") as Entity
  t.match(root, {
    name: title,
    version: String(activityWatermark),
    url: `${room.baseUrl}/rooms/${main.roomId}`,
    creator: { "@id": `#person-${owner.userId}` },
  })
  t.match(crate.entity((root.identifier as Entity)["@id"]), { "@type": "PropertyValue", value: main.roomId })
  t.match(crate.entity((root.license as Entity)["@id"]), { "@type": "CreativeWork", name: "Licence not stated" })
  const people = crate.graph.filter((entity) => entity["@type"] === "Person").map(({ name }) => name)
  t.strictSame(people.sort(), ["ada", "grace"])
  t.strictSame(idsOf(root.contributor).length, 2)
})

t.test("Every file matches its description in the metadata", (t) => {
  const described = crate.graph.filter((entity) => entity["@type"] === "File" && !entity["@id"].startsWith("#"))
  const payload = [...crate.files.keys()].filter((path) => !/^ro-crate-/.test(path))
  t.strictSame(described.map((entity) => entity["@id"]).sort(), payload.sort())
  for (const entity of described) {
    const text = crate.files.get(entity["@id"]) as string
    t.strictSame(
      [entity.sha256, entity.contentSize],
      [sha256(text).slice(7), String(Buffer.byteLength(text))],
      entity["@id"],
    )
  }
  t.end()
})

// shows: Added: the Room as an RO-Crate 1.2 with its feed.
t.test("The feed is the one that is served, and every digest in it can be recomputed", async (t) => {
  const feed = crate.lines<Entry>("activity.jsonl")
  const served: unknown[] = []
  for await (const entry of grace.items("room_activity", { roomId: main.roomId })) served.push(entry)
  t.same(feed, served)
  let previous = `sha256:${"0".repeat(64)}`
  for (const { digest, ...entry } of feed) {
    t.equal(entry.previousDigest, previous)
    t.equal(digest, sha256(canonical(entry)), `entry ${entry.sequence}`)
    previous = digest
  }
})

t.test("The history holds every accepted write as it was sent, and no secrets", async (t) => {
  interface Write extends Entry {
    readonly actor: { readonly username: string }
    readonly path: Readonly<Record<string, string>>
    readonly body: Readonly<Record<string, unknown>>
    readonly given: { readonly ids: readonly string[] }
  }
  const feed = crate.lines<Entry & { actor: object; at: string; entryId: string | null }>("activity.jsonl")
  const history = crate.lines<Write & { at: string }>("history.jsonl")
  t.same(
    history.map(({ sequence, operation, actor, at }) => ({ sequence, operation, actor, at })),
    feed.map(({ sequence, operation, actor, at }) => ({ sequence, operation, actor, at })),
  )
  t.strictSame(
    history.map(({ body }) => sha256(canonical(body))),
    feed.map(({ contentDigest }) => contentDigest),
  )
  for (const [index, { entryId }] of feed.entries())
    if (entryId !== null) t.equal(history[index]?.given.ids[0], entryId)
  const said = history.find(({ operation }) => operation === "post_message")
  t.match(said, {
    path: { threadId: /^[0-9a-f-]{36}$/ },
    body: { text: /./, clientMessageId: /./ },
    actor: { username: /grace|ada/ },
  })
  t.notOk(
    history.some(({ operation }) => /credential|key/.test(operation)),
    "credentials and keys stay private",
  )
  t.notMatch(crate.files.get("history.jsonl"), /"tokens"|"requestDigest"|"sender"|password/)
})

t.test("Every record is included as it was accepted, byte for byte, and the feed names its digest", async (t) => {
  const feed = crate.lines<Entry>("activity.jsonl")
  const { items } = await grace.read("room_publications", { roomId: main.roomId })
  t.equal(items.length, 21)
  for (const { versionId, label, contentDigest } of items) {
    const text = crate.files.get(`records/${label}.json`) as string
    t.equal(text, canonical(JSON.parse(text)), `${label} is canonical`)
    t.equal(sha256(text), contentDigest)
    t.ok(feed.some((entry) => entry.contentDigest === contentDigest))
    t.same(JSON.parse(text), (await grace.read("record", { versionId })).content)
  }
  t.same(new Set(crate.lines("records.jsonl")), new Set(items), "and the standing of each")
})

t.test("Plans, links, checkpoints, attempts and revisions are included with the content that the feed names", (t) => {
  const feed = crate.lines<Entry>("activity.jsonl")
  const digests = (folder: string) =>
    [...crate.files].filter(([path]) => path.startsWith(folder)).map(([, text]) => sha256(text))
  const accepted = (pattern: RegExp) =>
    feed.filter(({ operation }) => pattern.test(operation)).map(({ contentDigest }) => contentDigest)
  t.strictSame(digests("plans/"), accepted(/^accept_plan$/))
  t.strictSame(digests("links/"), accepted(/^assert_/))
  t.strictSame(digests("checkpoints/"), accepted(/^post_research_checkpoint$/))
  t.strictSame(digests("materials/"), accepted(/^register_material$/))
  t.strictSame(
    crate.lines<{ content: unknown }>("attempts.jsonl").map(({ content }) => sha256(canonical(content))),
    accepted(/^register_attempt$/),
  )
  const revisions = crate
    .lines<{ revisions: { content: unknown }[] }>("experiments.jsonl")
    .flatMap((experiment) => experiment.revisions)
  t.strictSame(
    revisions.map(({ content }) => sha256(canonical(content))).sort(),
    accepted(/experiment$|^report_experiment_status$|^accept_plan$/)
      .filter((digest) => !accepted(/^link_experiment_finding$/).includes(digest))
      .sort(),
    "grouped by experiment in the crate, but in order of arrival in the feed",
  )
  t.end()
})

t.test("Timelines are as they are served", async (t) => {
  for (const { threadId, sequence } of (await grace.read("room_threads", { roomId: main.roomId })).items) {
    const path = [...crate.files.keys()].find((name) => name.includes(threadId)) as string
    t.match(path, `timelines/${String(sequence).padStart(3, "0")}-`)
    const served: unknown[] = []
    for await (const entry of grace.items("thread_timeline", { threadId })) served.push(entry)
    t.same(crate.lines(path), served)
  }
})

t.test("Attempts are executions in the sense of the Process Run Crate profile", async (t) => {
  t.match(crate.entity("./"), { conformsTo: { "@id": "https://w3id.org/ro/wfrun/process/0.5" } })
  const actions = crate.graph.filter((entity) => entity["@type"] === "CreateAction")
  const { items } = await grace.read("attempts", { roomId: main.roomId })
  t.strictSame(
    actions.map((action) => action["@id"]),
    items.map(({ attemptId }) => `urn:uuid:${attemptId}`),
  )
  const root = crate.entity("./") as Entity
  for (const { attemptId, label, status } of items) {
    const attempt = await grace.read("attempt", { attemptId })
    const action = crate.entity(`urn:uuid:${attemptId}`) as Entity
    t.ok(idsOf(root.mentions).includes(action["@id"]), `${label} is mentioned by the root`)
    const software = crate.entity((action.instrument as Entity)["@id"])
    t.match(software, {
      "@type": ["File", "SoftwareSourceCode"],
      codeRepository: attempt.repository.url,
      version: attempt.repository.commit,
      identifier: `swh:1:rev:${attempt.repository.commit}`,
    })
    t.match(crate.entity((action.agent as Entity)["@id"]), { "@type": "Person", name: attempt.registrant.username })
    t.strictSame(
      idsOf(action.object).filter((id) => id.startsWith("#")),
      attempt.inputs.map(({ material }) => `#material-${material?.materialId}`),
    )
    const results = (action.result === undefined ? [] : idsOf(action.result)).map(
      (id) => `sha256:${crate.entity(id)?.sha256}`,
    )
    t.strictSame(
      results,
      attempt.outputs.map(({ digest }) => digest),
      "outputs by their digest",
    )
    const failed = status === "failed" || status === "preflight_failed"
    t.strictSame(
      [(action.actionStatus as Entity)["@id"], typeof action.error],
      [`http://schema.org/${failed ? "FailedActionStatus" : "CompletedActionStatus"}`, failed ? "string" : "undefined"],
    )
    t.strictSame(
      [action.startTime, action.endTime],
      [attempt.events.find(({ event }) => event === "started")?.reportedAt, attempt.events.at(-1)?.reportedAt],
    )
  }
})

t.test("Materials are listed by digest with their reported locations, but are not in the crate", async (t) => {
  for (const { materialId, reference, name } of (await grace.read("room_materials", { roomId: main.roomId })).items) {
    t.match(crate.entity(`#material-${materialId}`), {
      "@type": "File",
      name,
      identifier: reference,
      sha256: reference.slice(7),
      license: { "@id": "#licence-not-known-here" },
    })
  }
  const [counts] = (await grace.read("room_materials", { roomId: main.roomId })).items
  t.strictSame(crate.entity(`#material-${counts?.materialId}`)?.contentUrl, [
    "https://data.example.org/toy/problems.json",
    "https://mirror.example.net/toy/problems.json",
  ])
})

t.test("A record's standing, what it rests on and the papers it quotes are included", (t) => {
  t.match(crate.entity("records/F1.json"), {
    creativeWorkStatus: "corrected",
    additionalType: "finding",
  })
  t.match(
    crate.entity("records/H2.json"),
    { isBasedOn: [{ "@id": "records/H1.json" }, { "@id": "records/C1.json" }] },
    "what it is derived from",
  )
  t.notOk("isBasedOn" in (crate.entity("records/F1.json") ?? {}), "its target is only mentioned")
  t.match(crate.entity("records/C1.json"), { citation: { "@id": "https://arxiv.org/abs/2504.13837" } })
  t.match(crate.entity("https://arxiv.org/abs/2504.13837"), {
    "@type": "ScholarlyArticle",
    identifier: "arXiv:2504.13837",
  })
  t.match(crate.entity("links/L1.json"), {
    ...{ about: { "@id": "records/F1.json" }, additionalType: "corrects", creativeWorkStatus: "asserted" },
    description: /train split\.$/,
  })
  t.match(crate.entity("links/L6.json"), {
    creativeWorkStatus: "withdrawn",
    description: /Withdrawn by its author at 2\d{3}-.*Z, so it no longer counts: I had read past the limitations\./,
  })
  t.end()
})

t.test("Metrics are included point by point, with values such as NaN too", async (t) => {
  const rows = (crate.files.get("metrics.csv") as string).trim().split("\r\n")
  t.equal(rows[0], "attempt,attemptId,ordinal,metric,split,dimensions,unit,step,value,reportedAt")
  let points = 0
  for (const { attemptId } of (await grace.read("attempts", { roomId: main.roomId })).items)
    for (const { metricPoints = 0 } of (await grace.read("attempt", { attemptId })).events) points += metricPoints
  t.ok(points > 1_000)
  t.equal(rows.length, 1 + points)
  t.match(
    rows.find((row) => row.startsWith("A24,") && row.includes(",113,")),
    /,pass@1,train,,,113,NaN,/,
  )
})

/** The elements that do not end, and ends of elements that are not open. */
function openTags(page: string): string[] {
  const open: string[] = []
  for (const [, slash, name = ""] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (["meta", "br"].includes(name)) continue
    if (slash === "") open.push(name)
    else if (open.at(-1) === name) open.pop()
    else open.push(`/${name}`)
  }
  return open
}

t.test("People can read it offline in a browser", (t) => {
  const page = crate.files.get("ro-crate-preview.html") as string
  t.match(page, /^<!DOCTYPE html>\n<html lang="en">/)
  for (const text of [
    "Does RL add solutions, or only find them faster?",
    "F1 finding, positive",
    "corrected",
    "How imperfect may a teacher be before teaching costs more than it adds?",
    "No licence has been stated",
  ])
    t.ok(page.includes(text), text)
  t.notMatch(page, /<script|src=|@import|url\(/, "without a script and without a network")
  t.strictSame(openTags(page), [], "every element ends")
  t.match(crate.files.get("README.md"), /^ {4}python3 verify\.py\n/m)
  t.end()
})

t.test("Text that people wrote is never interpreted as markup", async (t) => {
  const { roomId, openingThreadId } = empty
  const body = action(hypothesis({ roomId, threadId: openingThreadId }))
  const wording = `<script>alert(1)</script> & "quoted" \u2028 \\`
  await grace.write("publish_hypothesis", { ...body, assertion: { ...body.assertion, wording } })
  const made = unpack(await exported(roomId))
  t.strictSame(made.faults(), [])
  t.notMatch(made.files.get("ro-crate-preview.html"), /<script/)
  t.equal(made.entity("records/H1.json")?.description, wording)
})

t.test("The same state of a Room gives the same bytes; a different state gives different bytes", async (t) => {
  t.equal(Buffer.compare(await exported(main.roomId), zip), 0)
  const before = await exported(empty.roomId)
  await grace.write("post_message", { threadId: empty.openingThreadId, text: "One more." })
  t.not(Buffer.compare(await exported(empty.roomId), before), 0)
})

t.test("An archived Room can be exported too", async (t) => {
  const made = unpack(await exported(archived.roomId))
  t.strictSame(made.faults(), [])
  t.match(made.entity("./"), { creativeWorkStatus: "archived" })
})

t.test("It is served as a download, and HEAD starts no export", async (t) => {
  const url = `${room.baseUrl}/api/research/rooms/${main.roomId}/export`
  const { headers, body } = await fetch(url)
  await body?.cancel()
  t.equal(headers.get("content-type"), "application/zip")
  t.equal(
    headers.get("content-disposition"),
    'attachment; filename="does-rl-add-solutions-or-only-find-them-faster.crate.zip"',
  )
  // The place of the one that was given up is free as soon as the service hears of it.
  while ((await fetch(url, { method: "HEAD" })).status === 429) await pause(20)
  for (let tries = 0; tries < limits.exports * 3; tries++) t.equal((await fetch(url, { method: "HEAD" })).status, 200)
  await t.rejects(plain.download("room_export", { roomId: freshId() }), {
    status: 404,
    refusal: "room_unavailable",
  } as never)
})

t.test(
  "A caller makes one at a time; one more is told when to retry, and a cancelled one frees its place",
  async (t) => {
    const open = () => plain.download("room_export", { roomId: main.roomId })
    const all = await Promise.allSettled(Array.from({ length: limits.exports * 4 }, open))
    const held = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
    const refused = all.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []))
    t.ok(held.length > 0 && refused.length > 0, `${held.length} made, ${refused.length} refused`)
    for (const reason of refused)
      t.ok(
        reason instanceof RefusedError &&
          reason.status === 429 &&
          reason.refusal === "too_many_requests" &&
          reason.retryAfter !== null,
      )
    await held[0]?.cancel()
    const again = async (): Promise<Uint8Array> => exported(main.roomId).catch(() => pause(20).then(again))
    t.equal((await again()).length, zip.length, "its place is free again")
    for (const stream of held.slice(1)) await stream.cancel()
  },
)
