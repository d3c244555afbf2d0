/**
 * Two Rooms that cite each other in every way that a write allows, and every read of them: wherever an object of
 * another Room is shown by its label, `labelFromOtherRoom` and `originRoomId` are beside it.
 */
import Database from "better-sqlite3"
import type { AgentOperation, ReceiptOf, WriteInput } from "research-room/client"
import t from "tap"
import { checkData } from "../../../src/check/check.ts"
import { isObject } from "../../../src/contract/json.ts"
import { type ObjectKind, objectList, objectOf } from "../../../src/contract/objects/objects.ts"
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import { operations } from "../../../src/contract/operations/index.ts"
import { reads } from "../../../src/contract/reads/index.ts"
import { kindsIn, namedIn, refersIn } from "../../../src/contract/schema/parts.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { bytesOf, unpack } from "../added/unpacked.ts"
import { arm, measuring, pairs } from "../measurements/measured.ts"
import { because, claim, finding, hypothesis, premise, reference, sha256 } from "../../support/bodies.ts"
import { type LabRoom, openLab } from "../../support/lab.ts"
import { launch, losses, reportedAt, Work } from "./work.ts"

const lab = await openLab(t)
const rooms = [await lab.room("The one"), await lab.room("The other")] as const
const db = new Database(lab.file, { readonly: true })
t.teardown(() => db.close())

interface Known {
  readonly label: string
  readonly origin: string
}
/** Returns every labelled object by its id, read from its own table. */
function everyLabel(): Map<string, Known> {
  const tables = objectList.filter(({ label, room }) => label !== null && room !== null)
  return new Map(
    tables.flatMap(({ table, key, room }) =>
      (
        db.prepare(`SELECT ${key} AS id, label, ${room} AS origin FROM ${table}`).all() as (Known & { id: string })[]
      ).map((row) => [row.id, row] as const),
    ),
  )
}

/** The fields, with their operations, in which an object of another Room was named. */
const crossed = new Set<string>()
const isList = (step: string) => /^\d+$/.test(step)

async function say<N extends AgentOperation>(
  room: LabRoom,
  name: N,
  body: WriteInput<N>,
  who: "ada" | "grace" = "ada",
): Promise<ReceiptOf<N>> {
  const receipt = await room[who].write(name, body)
  const labels = everyLabel()
  const operation = operations.find((each) => each.name === name)
  for (const { id, path } of operation === undefined ? [] : namedIn(operation.body, body)) {
    const field = path.split("/").findLast((step) => !isList(step))
    const origin = labels.get(id)?.origin
    if (origin !== undefined && origin !== receipt.roomId) crossed.add(`${name} ${field}`)
  }
  return receipt
}

/** Creates each Room's own objects. */
async function begun(room: LabRoom) {
  const work = await Work.begin(lab, room)
  const planId = await work.plan()
  const material = (
    await room.ada.write("register_material", {
      roomId: room.roomId,
      reference: sha256(room === rooms[0] ? "1" : "2"),
      name: "Counts",
    })
  ).result
  const lines = await measuring(lab, room)
  const measured = await lines.attempt(pairs(-1))
  const publish = async () => (await room.ada.write("publish_hypothesis", hypothesis(room))).result.versionId
  return {
    room,
    work,
    planId,
    materialId: material.materialId,
    attemptId: await work.attempt(),
    unheard: await work.attempt("started"),
    hypothesis: await publish(),
    fallen: await publish(),
    found: (await room.ada.write("publish_finding", finding(room))).result.versionId,
    effect: (await lines.publish(room.ada, [measured])).result.versionId,
    measuredIn: lines.experimentId,
    baseline: await lines.attempt(arm("baseline", [5, 5.1, 5.2])),
  }
}
type Own = Awaited<ReturnType<typeof begun>>

/** Makes every write in one Room that can name an object of another. */
async function cites({ room, work, fallen }: Own, other: Own): Promise<void> {
  const { roomId, threadId } = room
  const toward = other.hypothesis
  const related = {
    premises: [premise(toward), premise(other.fallen)],
    references: [reference(other.found, "contradicts"), reference(other.fallen, "derived_from")],
  }
  const said = hypothesis(room).assertion
  const borrowing = {
    ...said,
    predicate: { type: "concept_ref", versionId: toward, key: "lowers" } as const,
    roles: [
      { role: "cause", definition: "What differs.", value: { type: "record", versionId: toward } },
      {
        role: "effect",
        definition: "What is measured.",
        value: { type: "concept_ref", versionId: toward, key: "lowers" },
      },
    ] as const,
  }
  await say(room, "publish_hypothesis", hypothesis(room, { ...related, assertion: borrowing }))
  await say(room, "publish_cited_claim", claim(room, { references: related.references, assertion: borrowing }))
  const evidence = [
    {
      kind: "attempt_output",
      attemptId: other.attemptId,
      outputLabel: losses.outputLabel,
      digest: sha256("b"),
      explanation: because,
    },
    {
      kind: "attempt_output",
      attemptId: other.attemptId,
      outputLabel: "none",
      digest: sha256("b"),
      explanation: because,
    },
    { kind: "attempt_outcome", attemptId: other.unheard, explanation: because },
    { kind: "material", materialId: other.materialId, explanation: because },
    { kind: "record", versionId: other.fallen, explanation: because },
  ] as const
  const found = await say(
    room,
    "publish_finding",
    finding(room, {
      assertion: borrowing,
      references: related.references,
      evidence,
      provenance: {
        papers: [],
        execution: { ...other.work.execution([other.attemptId, other.unheard], [other.attemptId], other.planId) },
      },
      materials: [{ materialId: other.materialId, purpose: "What was counted." }],
    }),
  )
  // Results of each Room beside a baseline of the other.
  const own = await say(
    room,
    "publish_finding",
    finding(room, {
      provenance: { papers: [], execution: work.execution([await work.attempt("failed")], [other.attemptId]) },
    }),
  )
  await say(room, "reuse_record", { threadId, versionId: toward })
  await say(room, "register_material", { roomId, reference: sha256(room === rooms[0] ? "2" : "1"), name: "Counts" })
  await say(room, "report_material_location", {
    materialId: other.materialId,
    uri: "https://example.org/counts",
    state: "unavailable",
  })

  const { experimentId } = (
    await say(room, "propose_experiment", {
      roomId,
      threadId,
      question: "Does it here?",
      scope: "Here.",
      hypotheses: [toward],
    })
  ).result
  const expected = async () => (await room.ada.read("experiment", { experimentId })).affordances.expected
  await say(room, "amend_experiment", {
    experimentId,
    ...(await expected()),
    hypotheses: [toward, other.fallen],
    explanation: because,
  })
  await say(room, "take_experiment", { experimentId, ...(await expected()) })
  const { url, commit } = lab.house.repositories.public
  const { planId } = (
    await say(room, "accept_plan", {
      experimentId,
      ...(await expected()),
      repository: { url, commit },
      hypotheses: [toward, other.fallen],
      premises: related.premises,
      intent: "exploratory",
      protocol: { summary: "Run it.", steps: [], arms: [] },
      requiredMaterials: [{ materialId: other.materialId, purpose: "What is counted." }],
    })
  ).result
  const register = async (more: object) => {
    const attemptId = crypto.randomUUID()
    const repository = { url, commit }
    await say(room, "register_attempt", {
      ...launch,
      repository,
      attemptId,
      experimentId,
      inputs: [{ materialId: other.materialId, name: "counts" }],
      ...more,
    } as WriteInput<"register_attempt">)
    return attemptId
  }
  const attemptId = await register({ intent: "planned", planId, ...(await expected()) })
  await work.tell(attemptId, "started")
  await say(room, "report_attempt_event", {
    attemptId,
    event: "succeeded",
    reportedAt,
    expectedRevision: 2,
    expectedStatus: "started",
    outputs: [{ outputLabel: "counts", digest: sha256("9"), materialId: other.materialId }],
  })
  for (const reproduces of [{ attemptId: other.attemptId }, { findingVersionId: other.found }]) {
    const again = await register({ intent: "reproduction", reproduces })
    await work.tell(again, "started")
    await work.tell(again, "succeeded", { reproduction: { verdict: "reproduces", explanation: because } })
  }
  // Reproduces the other Room's effect beside one of its baselines.
  const repeating = await register({ intent: "reproduction", reproduces: { findingVersionId: other.effect } })
  await work.tell(repeating, "started")
  await say(room, "report_attempt_event", {
    attemptId: repeating,
    event: "succeeded",
    reportedAt,
    expectedRevision: 2,
    expectedStatus: "started",
    metrics: arm("shift", [4, 4.1, 4.2]),
    reproduction: {
      verdict: "reproduces",
      explanation: because,
      repeats: { versionId: other.effect, effect: 0, attemptIds: [other.baseline] },
    },
  })
  for (const findingVersionId of [other.found, found.result.versionId, own.result.versionId])
    await say(room, "link_experiment_finding", {
      experimentId,
      findingVersionId,
      towardHypothesis: [toward, other.fallen].map((versionId) => ({
        versionId,
        verdict: "supports",
        explanation: because,
      })),
      towardQuestion: { verdict: "answers", explanation: because },
    })
  await say(room, "declare_board", {
    ...{ roomId, threadId, title: "Error", metric: "error", direction: "lower", data: [] },
    evaluator: { repository: launch.repository },
  })
  const about = { targetVersionId: fallen, explanation: because }
  await say(room, "assert_dispute", { ...about, evidence: [other.found] })
  await say(room, "assert_correction", { ...about, correction: "Read 7.", replacementVersionId: toward })
  await say(room, "assert_supersession", { ...about, replacementVersionId: toward })
  const { timelineWatermark } = (await room.ada.read("thread_context", { threadId })).thread
  for (const state of ["concluded", "open"] as const) {
    const next = (await room.ada.read("thread_context", { threadId })).thread.timelineWatermark
    await say(room, "post_research_checkpoint", {
      threadId,
      expectedWatermark: next,
      coversThrough: timelineWatermark,
      state,
      synthesis: "It is so.",
      openQuestions: ["Is it?"],
      citations: [toward, other.fallen],
      ...(state === "concluded" ? { conclusion: "It is so." } : {}),
      table: { metric: "error", by: ["arm"], against: "arm:baseline", experimentIds: [other.measuredIn] },
    })
  }
}

const [one, other] = [await begun(rooms[0]), await begun(rooms[1])]
await cites(one, other)
await cites(other, one)
// The cited record falls once more, after it was cited.
for (const { room, fallen, hypothesis: toward, found } of [one, other]) {
  await room.grace.write("assert_retraction", { targetVersionId: fallen, explanation: because }).catch(() => undefined)
  await room.ada.write("assert_retraction", { targetVersionId: fallen, explanation: because })
  await room.grace.write("assert_dispute", { targetVersionId: toward, explanation: because })
  await room.grace.write("assert_dispute", { targetVersionId: found, explanation: because })
}

t.test("each field in which a write can name an object of another Room was used to do so", async (t) => {
  const names = (kinds: readonly ObjectKind[]) => kinds.some((kind) => objectOf(kind).label !== null)
  const fields = operations
    .filter(({ family, surface }) => family === "research" && surface === "agent")
    .flatMap(({ name, body }) =>
      refersIn(body)
        // Parts of a subject belong to its Room; the subject itself determines the Room of the write.
        .filter(({ refers }) => !refers.isSubject && names(kindsIn(refers)))
        .filter(({ refers }) => refers.of === undefined || name === "publish_finding")
        .map((field) => `${name} ${field.name}`),
    )
  t.ok(fields.length > 20, `${fields.length} fields`)
  t.strictSame(
    [...new Set(fields)].filter((field) => !crossed.has(field)),
    [],
  )
})

const labels = everyLabel()
const LABEL = /^[A-Z][1-9][0-9]*$/

/** Finds faults in an answer seen from a Room: another Room's label without its mark, or a mark that is wrong. */
function faults(value: unknown, seenFrom: string, path: string): string[] {
  if (!isObject(value)) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => faults(item, seenFrom, `${path}/${index}`))
  const ids = Object.values(value).flatMap((member) =>
    typeof member === "string" && labels.has(member) ? [labels.get(member) as Known] : [],
  )
  const own = Object.entries(value).flatMap(([member, text]) => {
    if (typeof text !== "string" || !/label$/i.test(member) || !LABEL.test(text)) return []
    const named = ids.filter(({ label }) => label === text)
    if (named.length === 0) return [`${path}/${member}: ${text} stands without its id`]
    const isOther = named.every(({ origin }) => origin !== seenFrom)
    // If an object has several labels, the mark applies to the one called `label`.
    const isOwn = member === "label" || !("label" in value)
    const says = isOwn && value.labelFromOtherRoom === true ? value.originRoomId : seenFrom
    return named.some(({ origin }) => origin === says)
      ? []
      : [`${path}/${member}: ${text} of ${isOther ? "another Room is not" : "this Room is"} marked`]
  })
  return [
    ...own,
    ...Object.entries(value).flatMap(([member, inner]) =>
      member === "content" ? [] : faults(inner, seenFrom, `${path}/${member}`),
    ),
  ]
}

/** The possible values of a parameter in a path, or in the query of a read that requires one. */
function valuesOf(name: string): string[] {
  const column = (sql: string) => db.prepare(sql).pluck().all() as string[]
  if (name === "key") return ["lowers"]
  if (name === "arxivId") return ["1706.03762"]
  if (name === "username") return column("SELECT username FROM people")
  if (name === "proposalId") return column("SELECT experiment_id FROM experiments")
  if (name === "targetEntryId") return []
  const tables = objectList.filter(({ id }) => id === name)
  return [...new Set(tables.flatMap(({ table, key }) => column(`SELECT ${key} FROM ${table}`)))]
}

const roomOf = (name: string, id: string): string | undefined => {
  if (name === "roomId") return id
  const [thread] =
    name === "threadId"
      ? (db.prepare("SELECT room_id FROM threads WHERE thread_id = ?").pluck().all(id) as string[])
      : []
  const [link] = db
    .prepare(
      `SELECT room_id
        FROM finding_links
        WHERE link_id = ?
        UNION SELECT room_id
        FROM checkpoints
        WHERE checkpoint_id = ?`,
    )
    .pluck()
    .all(id, id) as string[]
  return thread ?? labels.get(id)?.origin ?? link
}
const ours = new Set(rooms.map(({ roomId }) => roomId))

/** Splits an answer into a page's items or one object, each with the Room that it is seen from. */
function seen(answer: Record<string, unknown>, place: string | undefined): [unknown, string | undefined][] {
  const of = (item: unknown) =>
    isObject(item) ? ((item.roomId ?? item.materialOriginRoom) as string | undefined) : undefined
  const { items } = answer
  return place === undefined && Array.isArray(items)
    ? items.map((item) => [item, of(item)])
    : [[answer, place ?? of(answer)]]
}

const token = async ({ roomId }: LabRoom) =>
  (await lab.credential("ada", roomId, { permissions: ["post_thread"] })).token

const listed = reads.filter(
  ({ family, surface, mediaType, method }) =>
    method === "GET" &&
    family === "research" &&
    mediaType === "application/json" &&
    (surface === "public" || surface === "credential"),
)
/** Replies need a message that this test does not make; lines of a log and a session name no object. */
const NAMES_NOTHING = new Set(["thread_replies", "attempt_log", "attempt_session"])
for (const { name, path, surface, query } of listed) {
  t.test(`${name} marks objects of other Rooms`, async (t) => {
    let looked = 0
    const wrong = new Set<string>()
    for (const room of surface === "credential" ? rooms : rooms.slice(0, 1)) {
      const headers = surface === "credential" ? { authorization: `Bearer ${await token(room)}` } : {}
      /** Every way to fill in the path. */
      const ways = pathNames(path).reduce<Record<string, string>[]>(
        (before, each) => before.flatMap((way) => valuesOf(each).map((id) => ({ ...way, [each]: id }))),
        [{}],
      )
      const queries: Record<string, string>[] = [{}]
      if (name === "search") queries.splice(0, 1, { query: "ramp" }, { query: "counts" })
      if (name === "room_similar") queries.splice(0, 1, { text: "A ramp lowers the loss." })
      if (name === "receipt") queries.splice(0, 1, ...receiptsOf(room))
      if (name === "thread_replies") queries.splice(0, 1)
      if (name === "attempt_table") queries.splice(0, 1, ...rooms.map(({ roomId }) => ({ roomId })))
      if (name === "attempt_curves")
        queries.splice(0, 1, ...valuesOf("attemptId").map((attemptIds) => ({ attemptIds, metric: "loss" })))
      if ("findingVersionId" in query.entries)
        queries.push(...[one.found, other.found].map((findingVersionId) => ({ findingVersionId })))
      for (const way of ways)
        for (const asked of queries) {
          const [last] = pathNames(path).slice(0, 1)
          const place =
            last === undefined ? (surface === "credential" ? room.roomId : undefined) : roomOf(last, way[last] ?? "")
          if (
            last !== undefined &&
            (place === undefined || !ours.has(place)) &&
            last !== "arxivId" &&
            last !== "username"
          )
            continue
          if (surface === "credential" && last === "roomId" && way.roomId !== room.roomId) continue
          let next: string | null =
            `${path.replace(/\{([a-zA-Z]+)\}/g, (_, id: string) => way[id] ?? "")}?${new URLSearchParams(asked)}`
          while (next !== null) {
            const response: Response = await fetch(new URL(next, lab.house.baseUrl), { headers })
            if (response.status === 404) break
            t.equal(response.status, 200, next)
            const answer = (await response.json()) as Record<string, unknown> & {
              links?: { next?: string | null }
              hasMore?: boolean
            }
            for (const [item, from] of seen(answer, place)) {
              looked += 1
              for (const fault of from === undefined ? [] : faults(item, from, ""))
                wrong.add(fault.replace(/\/\d+/g, "/0"))
            }
            next = answer.hasMore === true ? (answer.links?.next ?? null) : null
          }
        }
    }
    t.strictSame([...wrong], [])
    if (!NAMES_NOTHING.has(name)) t.ok(looked > 0, "the read returned something to check")
  })
}

t.test("a replay of the history recreates the marks, entry by entry", async (t) => {
  const { db: data } = openData(lab.file)
  t.teardown(() => data.close())
  t.strictSame(checkData(data).problems, [])
})

t.test("each Room is imported into another instance together with what it cites from the other Room", async (t) => {
  for (const { roomId } of rooms) {
    const first = Buffer.from(await bytesOf(await lab.reader.download("room_export", { roomId })))
    const there = elsewhere(t)
    const { cited, origin } = await there.import(first)
    t.ok(cited >= 1)
    t.equal(origin.baseUrl, lab.house.baseUrl)
    const [one, other] = [unpack(first), unpack(await there.export(roomId))]
    t.strictSame(
      [...other.files].filter(([path, text]) => one.files.get(path) !== text).map(([path]) => path),
      [],
    )
    t.strictSame(there.problems(), [])
  }
})

/** The query parameters of the owner's receipts in a Room. */
function receiptsOf({ roomId }: LabRoom): Record<string, string>[] {
  const rows = db
    .prepare(
      `SELECT j.operation, coalesce(j.content ->> '$.clientMessageId', j.content ->> '$.requestId') AS id
       FROM journal j
        JOIN writers w USING (writer)
        JOIN places p ON p.place = j.room
        WHERE w.user_id = ? AND p.id = ? AND j.delivery_id IS NOT NULL`,
    )
    .all(lab.userIds.ada, roomId) as { operation: string; id: string }[]
  return rows.map(({ operation, id }) => ({
    operation,
    [operation === "post_message" ? "clientMessageId" : "requestId"]: id,
  }))
}
