/** No list of records, links or work scans a table or sorts: the query plan of each statement is checked. */
import { type ListOf, opaqueCursor } from "../../../src/ledger/lists/paging.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { activityKindsOf } from "../../../src/contract/reads/activity.ts"
import { createInstance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import { Recorder } from "./recorder.ts"

const data = mkdtempSync(join(tmpdir(), "research-room-plans-"))
const house = await startResearchRoom({ data })
const { db, world, instanceId } = openData(join(data, "research-room.db"))
t.teardown(async () => {
  db.close()
  await house.close()
  rmSync(data, { recursive: true, force: true })
})
const recorder = new Recorder(db)
const { readers } = createInstance({ db: recorder, world, instanceId })

const { roomId, openingThreadId: threadId } = house.rooms.main
const context = await house.client("main_owner_all").read("room_context", { roomId })
const [experimentId = "", versionId = "", linkId = "", userId] = [
  context.experiments[0]?.experimentId,
  context.publications.find(({ kind }) => kind === "finding")?.versionId,
  context.findingLinks[0]?.linkId,
  house.people.owner.userId,
]
const hypothesisId = context.hypotheses[0]?.versionId ?? ""
/** A concept that some record of the story defines. */
const [defined] = (await house.client("main_owner_all").read("concepts", {})).items
const checkpointId =
  context.threads.find(({ selectedCheckpointId }) => selectedCheckpointId !== null)?.selectedCheckpointId ?? ""
const planId =
  (await house.client("main_owner_all").read("experiment", { experimentId })).acceptedPlans[0]?.planId ?? ""

/** Returns a statement's plan, one step per line. */
const planOf = (sql: string, values: Parameters<ReturnType<typeof db.prepare>["all"]>): string[] =>
  db
    .prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values)
    .map(({ detail }) => detail)

/**
 * Returns the steps that scan a whole table. Scans of ids passed in, of the chain a record rests on, or of a short list
 * within the statement do not count.
 */
const scans = (plan: readonly string[]) =>
  plan.filter((step) => /^SCAN (?!json_each|\w+ VIRTUAL TABLE INDEX 1:$|CONSTANT|\(subquery)/.test(step))
const sorts = (plan: readonly string[]) => plan.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY"))
const faults = (plan: readonly string[]) => [...scans(plan), ...sorts(plan)]

type Query = Readonly<Record<string, unknown>>
/** Returns every combination of the given filters. */
function choices(filters: Query): Query[] {
  return Object.entries(filters).reduce<Query[]>(
    (made, [name, value]) => made.flatMap((query) => [query, { ...query, [name]: value }]),
    [{}],
  )
}

/** Returns every combination of filters, both at the start of a list with opaque cursors and further on. */
const furtherOn = (filters: Query, parts: readonly string[], listOf: (query: Query) => ListOf) =>
  choices(filters).flatMap((query) => [query, { ...query, after: opaqueCursor(parts, listOf(query)) }])
const marks = ({ kinds, status, author }: Query) =>
  [(kinds as string[] | undefined)?.join(), status, author] as (string | undefined)[]
const ofRecords = { kinds: ["finding", "hypothesis"], status: "disputed", author: userId }
/** Each list, with the ids in its path and every combination of filters and cursor. */
const asked: Readonly<Record<string, readonly [params: Record<string, string>, queries: readonly Query[]]>> = {
  publications: [
    {},
    furtherOn({ roomId, ...ofRecords }, [versionId], (query) =>
      query.roomId === undefined ? ["publications", ...marks(query)] : ["room_publications", roomId, ...marks(query)],
    ).concat(choices({ roomId, ...ofRecords, status: "current" })),
  ],
  room_publications: [
    { roomId },
    furtherOn(ofRecords, [versionId], (query) => ["room_publications", roomId, ...marks(query)]),
  ],
  paper_publications: [{ arxivId: "1706.03762" }, choices({ after: 50 })],
  hypotheses: [{}, [...choices({ roomId, after: versionId }), { roomId, label: "H1" }]],
  concepts: [{}, furtherOn({}, [versionId, "lowers"], () => ["concepts", undefined])],
  room_links: [
    { roomId },
    choices({ kind: "disputes", targetVersionId: versionId, targetAuthorId: userId, after: linkId }),
  ],
  experiment_findings: [{ experimentId }, choices({ after: linkId })],
  experiments: [
    {},
    choices({
      roomId,
      status: "completed",
      assigneeId: userId,
      hypothesisVersionId: hypothesisId,
      after: experimentId,
    }),
  ],
  room_threads: [{ roomId }, choices({ after: 1 })],
  thread_records: [{ threadId }, choices({ after: 1 })],
  room_activity: [{ roomId }, choices({ after: 1 })],
  admin_people: [{}, choices({ after: userId })],
  admin_rooms: [{}, choices({ after: roomId })],
  admin_credentials: [{}, choices({ after: roomId })],
  admin_keys: [{}, choices({ after: roomId })],
  admin_invitations: [{}, choices({ after: roomId })],
  // A person's audit merges two pages, so it sorts that many rows: test/people/audit.test.ts covers it.
  admin_audit: [{}, choices({ kind: "sign_in", after: 10 })],
  attempts: [
    {},
    [
      ...choices({ findingVersionId: versionId, after: experimentId }),
      ...choices({ status: "failed", intent: "planned", after: "1" }).flatMap((query) => [
        { ...query, order: "label", roomId },
        { ...query, order: "label", experimentId },
      ]),
    ],
  ],
}

/** Reads of one object by its id, with the few objects that belong to it. */
const single: Readonly<Record<string, Record<string, string>>> = {
  record: { versionId },
  hypothesis: { versionId: hypothesisId },
  record_case: { versionId: hypothesisId },
  checkpoint_case: { checkpointId },
  record_concept: { versionId: defined?.versionId ?? "", key: defined?.key ?? "" },
  link: { linkId },
  checkpoint: { checkpointId },
  room: { roomId },
  plan: { planId },
  experiment: { experimentId },
}

for (const [name, [params, queries]] of Object.entries(asked)) {
  t.test(name, async (t) => {
    for (const query of queries) {
      const read = readers[name as keyof typeof readers] as (asked: object) => unknown
      const steps = await recorder.readsDuring(() => read({ params, query, actor: null, basePath: "" }))
      t.ok(steps.length > 0, `${JSON.stringify(query)}: ${steps.length} statements`)
      for (const { sql, values } of steps)
        t.strictSame(
          faults(planOf(sql, values)),
          [],
          `${JSON.stringify(Object.keys(query))}: ${sql.replace(/\s+/g, " ").slice(-120)}`,
        )
    }
  })
}

for (const [name, params] of Object.entries(single)) {
  t.test(name, async (t) => {
    const read = readers[name as keyof typeof readers] as (asked: object) => unknown
    const steps = await recorder.readsDuring(() => read({ params, query: {}, actor: null, basePath: "" }))
    t.ok(steps.length > 0)
    for (const { sql, values } of steps)
      t.strictSame(scans(planOf(sql, values)), [], sql.replace(/\s+/g, " ").slice(-120))
  })
}

const nothing = { query: {}, actor: null, basePath: "" }
for (const [name, read] of [
  ["room_context", () => readers.room_context({ params: { roomId }, ...nothing })],
  ["thread_research_context", () => readers.thread_research_context({ params: { threadId }, ...nothing })],
] as const) {
  t.test(name, async (t) => {
    const steps = await recorder.readsDuring(read)
    t.ok(steps.length >= 6)
    for (const { sql, values } of steps)
      t.strictSame(faults(planOf(sql, values)), [], sql.replace(/\s+/g, " ").slice(-120))
    t.equal(steps.length < 12, true, "the number of statements does not grow with the content")
  })
}

/**
 * Scans that count. A virtual table searched by its own index does not count, nor does a list that the statement itself
 * made.
 */
const walks = (plan: readonly string[]) =>
  scans(plan).filter(
    (step) =>
      !/VIRTUAL TABLE INDEX \d+:\S/.test(step) &&
      !plan.some((made) => made.replace(/^(?:CO-ROUTINE|MATERIALIZE)/, "SCAN") === step),
  )
/** Reads that choose by relevance may sort their candidates, but must not scan a whole table for them. */
const chosen = {
  room_brief: [{ roomId }, {}],
  thread_brief: [{ threadId }, {}],
  room_next: [{ roomId }, {}],
  room_failures: [{ roomId }, {}],
  room_similar: [{ roomId }, { like: versionId }],
  search: [{}, { query: "warm-up", roomId }],
} as const
for (const [name, [params, query]] of Object.entries(chosen)) {
  t.test(name, async (t) => {
    const read = readers[name as keyof typeof chosen] as (asked: object) => unknown
    const steps = await recorder.readsDuring(() => read({ params, query, actor: null, basePath: "" }))
    t.ok(steps.length > 0)
    for (const { sql, values } of steps)
      t.strictSame(walks(planOf(sql, values)), [], sql.replace(/\s+/g, " ").slice(0, 200))
  })
}

t.test("words of new texts are read without passing over those of older ones", (t) => {
  t.strictSame(walks(planOf("SELECT * FROM search_texts WHERE item > ?", [0])), [])
  t.end()
})

const ofKind = {
  thread_timeline: [{ threadId }, "timeline_by_kind (thread=? AND kind=? AND sequence>?)"],
  room_activity: [{ roomId }, "journal_of_room_by_operation (room=? AND operation=? AND room_sequence>?)"],
} as const
for (const name of ["thread_timeline", "room_activity"] as const) {
  t.test(`pages of some kinds in ${name} read only entries of these kinds, each kind by the index`, async (t) => {
    const [params, index] = ofKind[name]
    for (const kinds of [["message"], ["publication"], ["message", "publication", "take_experiment"]]) {
      const steps = await recorder.readsDuring(() =>
        readers[name]({ params, query: { kinds, after: 1 }, actor: null, basePath: "" } as never),
      )
      const pages = steps
        .map(({ sql, values }) => planOf(sql, values))
        .filter((plan) => plan.some((step) => step.includes(index) && !step.includes("COVERING")))
      // A timeline's kind "publication" covers several kinds in the feed.
      t.equal(pages.length, name === "room_activity" ? activityKindsOf(kinds).length : kinds.length, kinds.join(","))
      for (const plan of pages) t.strictSame(faults(plan), [])
    }
  })
}

t.test("entries whose kind is shared by several operations are looked up through the records", async (t) => {
  const look = (kind: string) =>
    recorder.readsDuring(() =>
      readers.thread_timeline({
        params: { threadId },
        query: { kinds: [kind], after: 1 },
        actor: null,
        basePath: "",
      } as never),
    )
  for (const [kind, index] of [
    ["publish_finding", "records_of_thread_and_kind (thread_id=? AND kind=? AND version_id>?)"],
    ["reuse_record", "timeline_by_kind (thread=? AND kind=? AND sequence>?)"],
  ] as const) {
    const pages = (await look(kind))
      .map(({ sql, values }) => planOf(sql, values))
      .filter((plan) => plan.some((step) => step.includes(index) && !step.includes("COVERING")))
    t.equal(pages.length, 1, kind)
    for (const plan of pages) t.strictSame(faults(plan), [])
  }
})

t.test("the test would notice a scan and a sort", (t) => {
  t.strictSame(faults(planOf("SELECT * FROM records WHERE wording LIKE ?", ["%a%"])), ["SCAN records"])
  t.strictSame(faults(planOf("SELECT * FROM records WHERE room_id = ? ORDER BY wording", [roomId])), [
    "USE TEMP B-TREE FOR ORDER BY",
  ])
  t.end()
})
