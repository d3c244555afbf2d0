/**
 * The table of a Room with thousands of attempts is worked out once for each state of the Room; for the next state only
 * the attempts are read that were written to.
 */
import t from "tap"
import { Refusal } from "../../../src/contract/refusals.ts"
import type { Db, Statement } from "../../../src/ledger/storage/database.ts"
import { measurementTables } from "../../../src/research/measurements/reads.ts"
import { values } from "../../../src/research/measurements/values.ts"
import { runs } from "../../support/chance.ts"
import { Filler } from "../record/filler.ts"
import { openLab } from "../../support/lab.ts"
import { largeRoom } from "./large-room.ts"

/** Two more are reported below: a table covers 10,000. */
const ATTEMPTS = runs(9_998, 2_000)

const lab = await openLab(t)
const filler = new Filler(lab.file)
t.teardown(() => filler.close())
const owner = filler.person("ada")
const commit = "a".repeat(40)
const reportedAt = "2026-11-20T09:30:00.000Z"
const { roomId, report } = await filler.fill(() => {
  const { roomId, openingThreadId } = filler.does(owner, "create_room", { title: "Large", question: "How?" }).result
  const repository = { url: "https://github.com/example/mlp", commit }
  const { report } = largeRoom(filler, owner, { roomId, threadId: openingThreadId, repository })
  for (let index = 0; index < ATTEMPTS; index += 1) report(index)
  return { roomId, report }
})

function asked(by = ["arm", "labels"]) {
  const query = { metric: "error", by, over: "seed", against: "arm:baseline" }
  return filler.instance.readers.room_measurements({ params: { roomId }, query, actor: null } as never) as {
    groups: { n: number; settings: object; contrast: { pairs: number } | null }[]
  }
}

t.test("thousands of attempts make a table once for each state", async (t) => {
  const first = asked()
  t.equal(first.groups.length, 40)
  t.equal(asked(), first, "the same table, which was not worked out again")
  asked(["arm"])
  t.equal(asked(), first, "also after another question")
  await filler.fill(() => report(ATTEMPTS))
  const later = asked()
  t.not(later, first, "it is worked out anew once something was reported")
  t.equal(asked(), later)
})

/** A connection that counts the rows of the lists that it returns. */
function counting(db: Db) {
  const count = { rows: 0 }
  const prepare = <Row>(sql: string): Statement<Row> => {
    const made = db.prepare<Row>(sql)
    return {
      get: (...given) => made.get(...given),
      one: (...given) => made.one(...given),
      run: (...given) => made.run(...given),
      all(...given) {
        const found = made.all(...given)
        count.rows += found.length
        return found
      },
    }
  }
  const counted: Db = {
    prepare,
    exec: (sql) => db.exec(sql),
    snapshot: (work) => db.snapshot(work),
    close: () => db.close(),
    inTransaction: false,
  }
  return { counted, count }
}

const question = { metric: "error", by: ["arm", "labels"], over: "seed", against: "arm:baseline" }
/** A table as it is, or why it is refused. */
function told(table: () => unknown): unknown {
  try {
    return table()
  } catch (error) {
    if (error instanceof Refusal) return [error.message, error.details]
    throw error
  }
}

t.test("one more attempt has only its own rows read", async (t) => {
  const { counted, count } = counting(filler.db)
  const measured = measurementTables(counted, values(counted))
  const rowsOf = (work: () => unknown) => {
    const before = count.rows
    work()
    return count.rows - before
  }
  const first = rowsOf(() => measured({ roomId }, question))
  t.ok(first > 2 * ATTEMPTS, `${first} rows: each attempt and its values`)
  const again = rowsOf(() => measured({ roomId }, { ...question, by: ["labels", "arm"] }))
  t.ok(again < 10, `${again} rows for another question`)
  // The command of an earlier attempt, with its seed and its place of writing.
  await filler.fill(() => report(7))
  const later = rowsOf(() => measured({ roomId }, question))
  t.ok(later < 20, `${later} rows after one more attempt`)
  t.equal(measured({ roomId }, question).groups.length, 40, "which parts no group")
  t.same(measured({ roomId }, question), measurementTables(filler.db, values(filler.db))({ roomId }, question))
})

t.test("whatever happens in between, a table is the same as one that is worked out anew", async (t) => {
  // In data of its own: what is withheld takes longer to find among thousands of attempts.
  const filler = new Filler((await openLab(t)).file)
  t.teardown(() => filler.close())
  const owner = filler.person("ada")
  const does: typeof filler.does = (...given) => filler.does(...given)
  const { result } = await filler.fill(() => does(owner, "create_room", { title: "Small", question: "How?" }))
  const { roomId: small, openingThreadId: threadId } = result
  const experimentId = await filler.fill(() => {
    const proposed = { roomId: small, threadId, question: "Which?", scope: "Here.", hypotheses: [] }
    const made = does(owner, "propose_experiment", proposed).result.experimentId
    does(owner, "take_experiment", { experimentId: made, expectedRevision: 1, expectedStatus: "open" })
    return made
  })
  const reports = new Map<string, { revision: number; status: "registered" | "started" | "succeeded" }>()
  const sequences: number[] = []
  let seed = 7
  const below = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  const metrics = (step: number) =>
    ["baseline", "shift"].map((arm) => ({
      ...{ name: "error", value: below(100), step },
      dimensions: { arm, labels: 50 * (1 + below(3)), seed: below(4) },
    }))
  function register(step: number): void {
    const attemptId = filler.instance.world.id()
    const { activity } = does(owner, "register_attempt", {
      ...{ attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed" },
      ...{ inputs: [], repository: { url: "https://github.com/example/mlp", commit } },
      ...{ argv: ["python", "mlp.py", "--recipe", `secret-${step % 3}`], configuration: { rate: below(2) } },
    })
    sequences.push(activity?.sequence ?? 0)
    reports.set(attemptId, { revision: 1, status: "registered" })
  }
  function goOn(step: number): void {
    const [attemptId, known] = [...reports][below(Math.max(1, reports.size))] ?? []
    if (attemptId === undefined || known === undefined) {
      register(step)
      return
    }
    const { revision, status } = known
    const event = status === "registered" ? "started" : status === "started" ? "succeeded" : "progress"
    const late = event === "progress" && { late: true }
    const reported = event === "started" ? {} : { metrics: metrics(step), ...late }
    const { activity } = does(owner, "report_attempt_event", {
      ...{ attemptId, event, reportedAt, expectedRevision: revision, expectedStatus: status, ...reported },
    } as never)
    sequences.push(activity?.sequence ?? 0)
    reports.set(attemptId, { revision: revision + 1, status: event === "started" ? "started" : "succeeded" })
  }
  const measured = measurementTables(filler.db, values(filler.db))
  let withheld = 0
  for (let step = 0; step < 90; step += 1) {
    await filler.fill(() => {
      const kind = below(12)
      if (kind < 3) register(step)
      else if (kind < 10) goOn(step)
      else if (kind < 11 || sequences.length < 8) does(owner, "post_message", { threadId, text: `Step ${step}.` })
      else {
        const [sequence = 0] = sequences.splice(below(sequences.length), 1)
        withheld += 1
        does(owner, "withhold_content", {
          ...{ roomId: small, of: { sequence }, fields: [""], reason: "personal_data" },
          explanation: "It names somebody.",
        })
      }
    })
    const asked = { ...question, ...(step % 2 === 0 && { by: ["arm"] }) }
    const anew = measurementTables(filler.db, values(filler.db))
    const [kept, fresh] = [measured, anew].map((tables) => told(() => tables({ roomId: small }, asked)))
    t.same(kept, fresh, `after step ${step}`)
  }
  t.ok(withheld > 2 && reports.size > 10, `${withheld} withheld, ${reports.size} attempts`)
})
