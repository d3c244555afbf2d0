/**
 * A Room and a Thread read as a whole: everything the interface lists, as of one moment, with long lists cut to the
 * newest.
 */
import t from "tap"
import { type Writable, writeJson } from "../../../src/contract/json.ts"
import { createInstance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import type { Db, Statement } from "../../../src/ledger/storage/database.ts"
import { because, claim, finding, hypothesis } from "../../support/bodies.ts"
import { Filler } from "./filler.ts"
import { holds } from "./holds.ts"
import { everyItem, openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "./work.ts"

const lab = await openLab(t)
const { reader, house } = lab

const contextOf = (roomId: string) => reader.read("room_context", { roomId })

// shows: The Room context holds counts, every Thread, experiments, hypotheses, finding links, publications, open
//   questions, the conclusion and the watermark.
t.test("everything a Room holds, as in its lists", async (t) => {
  for (const { roomId } of Object.values(house.rooms)) {
    const context = await contextOf(roomId)
    const {
      members: _members,
      schemaVersion: _version,
      unproved: _unproved,
      costs: _costs,
      changed: _changed,
      moreChanged: _moreChanged,
      reproductionKinds: _reproductionKinds,
      ...room
    } = await reader.read("room", { roomId })
    t.strictSame(context.room, room)
    t.strictSame(context.counts, room.counts)
    t.strictSame(context.threads, await everyItem(reader.items("room_threads", { roomId })))
    t.strictSame(context.experiments, await everyItem(reader.items("experiments", { roomId })))
    t.strictSame(context.hypotheses, await everyItem(reader.items("hypotheses", { roomId })))
    const published = (await everyItem(reader.items("room_publications", { roomId }))).toReversed()
    t.strictSame(
      context.publications,
      published.filter(({ kind }) => kind !== "hypothesis"),
      "hypotheses are a list of their own",
    )
    const links = []
    for (const { experimentId } of context.experiments)
      links.push(...(await everyItem(reader.items("experiment_findings", { experimentId }))))
    t.strictSame(context.findingLinks, links)
    const feed = await everyItem(reader.items("room_activity", { roomId }))
    t.equal(context.activityWatermark, feed.at(-1)?.sequence)
    t.strictSame(context.truncated, {})
  }
  const main = await contextOf(house.rooms.main.roomId)
  t.ok(
    main.experiments.length > 0 &&
      main.findingLinks.length > 0 &&
      main.threads.length > 1 &&
      main.openQuestions.length > 0,
    "the demo's Room has some of each",
  )
})

// shows: A finding link carries a split verdict, its replies and who reviewed it; the Room context shows the finding
//   and the card.
t.test("experiments with label, status, attempts and next steps; relations with their finding and card", async (t) => {
  const room = await lab.room()
  const work = await Work.begin(lab, room)
  await work.attempt("failed")
  await work.attempt("started")
  const found = (await room.grace.write("publish_finding", finding(room))).result
  const link = await room.grace.write("link_experiment_finding", {
    experimentId: work.experimentId,
    findingVersionId: found.versionId,
    towardHypothesis: [],
    towardQuestion: { verdict: "answers", explanation: because },
  })
  const expected = {
    experiments: [
      {
        experimentId: work.experimentId,
        label: "E1",
        status: "claimed",
        plans: 0,
        attempts: { total: 2, registered: 0, preflight_failed: 0, started: 1, succeeded: 0, failed: 1, cancelled: 0 },
        affordances: (await reader.read("experiment", { experimentId: work.experimentId })).affordances,
      },
    ],
    findingLinks: [
      {
        finding: { versionId: found.versionId, label: "F1", wording: "The ramp lowered the loss." },
        card: { entryId: link.entry?.entryId, threadId: room.threadId },
      },
    ],
  }
  const context = await contextOf(room.roomId)
  holds(t, context, {
    ...expected,
    counts: {
      members: 3,
      threads: 1,
      experiment: 1,
      attempt: 2,
      finding: 1,
      hypothesis: 0,
      plan: 0,
      material: 0,
      link: 0,
      cited_claim: 0,
    },
    concluded: false,
    conclusion: null,
  })
  t.ok(expected.experiments[0]?.affordances.operations.length)
  holds(t, await reader.read("thread_research_context", { threadId: room.threadId }), {
    ...expected,
    activityWatermark: context.activityWatermark,
    timelineWatermark: context.threads[0]?.timelineWatermark,
    thread: context.threads[0],
    checkpoint: null,
    openQuestions: [],
  })
  t.equal(await refusedAs(contextOf(crypto.randomUUID())), "404 room_unavailable")
  t.equal(
    await refusedAs(reader.read("thread_research_context", { threadId: crypto.randomUUID() })),
    "404 room_unavailable",
  )
})

t.test("a Thread's context holds everything that originated in it", async (t) => {
  const room = await lab.room()
  const { threadId: beside } = (await room.ada.write("create_thread", { roomId: room.roomId, title: "Beside" })).result
  const there = { ...room, threadId: beside }
  const works = [await Work.begin(lab, room), await Work.begin(lab, there)]
  const made = []
  for (const place of [room, there]) {
    const claimed = (await room.ada.write("publish_cited_claim", claim(place))).result
    const predicted = (await room.ada.write("publish_hypothesis", hypothesis(place))).result
    made.push([claimed.versionId, predicted.versionId])
    await room.ada.write("reuse_record", {
      threadId: place === room ? beside : room.threadId,
      versionId: claimed.versionId,
    })
  }
  for (const [index, threadId] of [room.threadId, beside].entries()) {
    const context = await reader.read("thread_research_context", { threadId })
    t.strictSame(
      context.experiments.map(({ experimentId }) => experimentId),
      [works[index]?.experimentId],
    )
    t.strictSame(
      context.publications.map(({ versionId }) => versionId),
      made[index]?.slice(0, 1),
    )
    t.strictSame(
      context.hypotheses.map(({ versionId }) => versionId),
      made[index]?.slice(1),
    )
  }
})

/** A database that runs a callback after every statement that reads. */
function watched(db: Db, between: () => void): Db {
  const statement = <Row>(made: Statement<Row>): Statement<Row> => ({
    ...made,
    get: (...values) => [made.get(...values), between()][0] as Row | undefined,
    all: (...values) => [made.all(...values), between()][0] as Row[],
  })
  return {
    prepare: <Row>(sql: string) => statement(db.prepare<Row>(sql)),
    exec: (sql) => db.exec(sql),
    snapshot: (work) => db.snapshot(work),
    close: () => db.close(),
    get inTransaction() {
      return db.inTransaction
    },
  }
}

// shows: The Room context is one database snapshot.
t.test(
  "a context is one snapshot: another process's writes between two of its queries are in none of them",
  async (t) => {
    const room = await lab.room()
    const { roomId, threadId } = room
    await room.ada.write("publish_hypothesis", hypothesis(room))
    const writer = new Filler(lab.file)
    const ada = writer.person("ada")
    let writes = 0
    let watching = false
    const { db, world, instanceId } = openData(lab.file)
    const { ask } = createInstance({
      world,
      instanceId,
      db: watched(db, () => {
        if (!watching) return
        writes += 1
        writer.db.exec("BEGIN IMMEDIATE")
        writer.does(ada, "publish_hypothesis", hypothesis(room))
        writer.does(ada, "create_thread", { roomId, title: `Thread ${writes}` })
        writer.db.exec("COMMIT")
      }),
    })
    const asked = { query: {}, actor: null, basePath: "" }
    interface Context {
      counts: { hypothesis: number; threads: number }
      threads: unknown[]
      hypotheses: unknown[]
      publications: unknown[]
      activityWatermark: number
      timelineWatermark: number
    }
    const before = await contextOf(roomId)
    watching = true
    const read = async (name: "room_context" | "thread_research_context", params: Record<string, string>) =>
      JSON.parse(writeJson((await ask(name, { ...asked, params })) as Writable)) as Context
    const context = await read("room_context", { roomId })
    const inRoom = writes
    const thread = await read("thread_research_context", { threadId })
    watching = false
    t.ok(inRoom > 4 && writes > inRoom + 4, `${writes} writes came in between`)
    t.strictSame(
      [
        context.counts,
        context.threads.length,
        context.hypotheses.length,
        context.publications.length,
        context.activityWatermark,
      ],
      [before.counts, 1, 1, 0, before.activityWatermark],
      "as it was when the first query ran",
    )
    t.strictSame(
      [thread.hypotheses.length, thread.timelineWatermark, thread.activityWatermark],
      [1 + inRoom, (before.threads[0]?.timelineWatermark ?? 0) + inRoom, before.activityWatermark + 2 * inRoom],
    )
    const after = await contextOf(roomId)
    t.strictSame(
      [after.counts.hypothesis, after.counts.threads, after.activityWatermark],
      [1 + writes, 1 + writes, before.activityWatermark + 2 * writes],
    )
    db.close()
    writer.close()
  },
)
