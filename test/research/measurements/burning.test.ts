/**
 * Effects and boards as a way to burn time: the most expensive ones that the limits allow are worked out in bounded
 * time, or refused with a sentence.
 */
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import type { WriteInput } from "research-room/client"
import { ask } from "../../support/ask.ts"
import { finding, freshId } from "../../support/bodies.ts"
import { Filler } from "../record/filler.ts"
import { openLab, refusalOf } from "../../support/lab.ts"

/** Milliseconds of processor time for what is refused, for the most that is accepted, and for a read. */
const [FAST, BEARABLE, READING] = [250, 750, 5_000]
const ATTEMPTS = 50
/** Values of each: those of forty attempts are exactly as many as the means of a table may rest on. */
const VALUES = 500

t.setTimeout(180_000)
const lab = await openLab(t)
const room = await lab.room()
const { roomId, threadId } = room
const filler = new Filler(lab.file)
t.teardown(() => filler.close())
const owner = filler.person("ada")
const { url, commit } = lab.house.repositories.public
const reportedAt = "2026-11-20T09:30:00.000Z"
const { experimentId, attemptIds } = await filler.fill(() => {
  const { experimentId } = filler.does(owner, "propose_experiment", {
    ...{ roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] },
  }).result
  filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const attemptIds = Array.from({ length: ATTEMPTS }, (_, of) => {
    const attemptId = filler.instance.world.id()
    filler.does(owner, "register_attempt", {
      ...{ attemptId, experimentId, intent: "exploratory", inputs: [] },
      ...{ expectedRevision: 2, expectedStatus: "claimed" },
      repository: { url, commit },
      argv: ["python", "mlp.py", ...Array.from({ length: 90 }, (_, flag) => [`--flag${flag}`, String(flag)]).flat()],
      configuration: Object.fromEntries(Array.from({ length: 200 }, (_, key) => [`setting${key}`, key])),
    })
    const at = { attemptId, reportedAt }
    const started = { event: "started", expectedRevision: 1, expectedStatus: "registered" } as const
    filler.does(owner, "report_attempt_event", { ...at, ...started })
    filler.does(owner, "report_attempt_event", {
      ...at,
      ...{ event: "succeeded", expectedRevision: 2, expectedStatus: "started" },
      metrics: Array.from({ length: VALUES }, (_, index) => {
        const place = of * VALUES + index
        return { name: "e", value: (place * 7_919) % 1_009, dimensions: { a: place % 2 ? "x" : "y", s: place >> 1 } }
      }),
    })
    return attemptId
  })
  return { experimentId, attemptIds }
})

const effect = { metric: "e", of: { a: "x" }, against: { a: "y" }, over: "s", experimentId }
const restingOn = (effects: number) => ({
  ...finding(room),
  provenance: { papers: [], execution: { experimentId, attemptIds, baselineAttemptIds: [] } },
  effects: Array.from({ length: effects }, () => effect),
})
/** The milliseconds of its own processor time for which this thread, which serves, works at something. */
async function worked(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return Math.round((user + system) / 1_000)
}

t.test("effects of a finding, whose write keeps all others waiting, have a bound that its refusal tells", async (t) => {
  const refused = await worked(async () => {
    t.match(await refusalOf(room.ada.write("publish_finding", restingOn(12), { rehearse: true })), {
      status: 422,
      issues: [
        {
          path: "/effects",
          message: "would be worked out from 300,000 values, of at most 100,000: name fewer attempts or effects",
        },
      ],
    })
  })
  t.ok(refused < FAST, `it is refused in ${refused} ms`)
  const accepted = await worked(() => room.ada.write("publish_finding", restingOn(4), { rehearse: true }))
  t.ok(accepted < BEARABLE, `as many as are accepted take ${accepted} ms`)
})

t.test("so have those of a batch, which is one transaction", async (t) => {
  const writes = Array.from({ length: 3 }, () => {
    const body = { requestId: freshId(), schemaVersion: 3, ...restingOn(12) }
    return { operation: "publish_finding", body }
  })
  const { token } = lab.house.credentials.member_all
  const refused = await worked(async () => {
    const answer = await ask(`${lab.house.baseUrl}/api/agent/research/batch?rehearse=1`, { token, body: { writes } })
    t.match(answer, {
      status: 422,
      body: { issues: [{ path: "/writes/2", message: "at most 24 effects may be in one batch" }] },
    })
  })
  t.ok(refused < FAST, `it is refused in ${refused} ms`)
})

t.test("a table and a board of all of it are answered in time, and say how much they leave out", async (t) => {
  const { boardId } = (
    await room.ada.write("declare_board", {
      ...{ roomId, threadId, title: "All of it", metric: "e", direction: "lower", by: ["a", "s"] },
      ...{ evaluator: { repository: { url, commit } }, data: [] },
    } as WriteInput<"declare_board">)
  ).result
  const read = `${lab.house.baseUrl}/api/research`
  for (const path of [
    `${read}/rooms/${roomId}/measurements?metric=e&by=a,s&points=1`,
    `${read}/rooms/${roomId}/measurements?metric=e&by=a&over=s&against=a:x`,
    `${read}/boards/${boardId}`,
    `${lab.house.baseUrl}/boards/${boardId}`,
  ]) {
    let [status, text] = [0, ""]
    const took = await worked(async () => {
      const response = await fetch(path)
      status = response.status
      text = await response.text()
    })
    t.comment(path, status, text.replace(/\s+/g, " ").slice(0, 200))
    t.ok(took < READING, `${path.replace(lab.house.baseUrl, "")}: ${took} ms`)
    t.ok(status === 200 || status === 422, `${status}`)
  }
})

t.test(
  "a table of its attempts tells the means of so many values as are bearable, and null of the others",
  async (t) => {
    const took = await worked(async () => {
      const { items } = await lab.reader.read("attempt_table", { roomId })
      const known = items.flatMap(({ means }) => means ?? [])
      const values = known.flatMap(({ arms }) => arms).reduce((sum, { values: count }) => sum + count, 0)
      t.ok(values > 0 && values <= limits.tableMeanValues, `${values} values`)
      t.equal(items.filter(({ means }) => means !== null).length, limits.tableMeanValues / VALUES)
      t.ok(items.some(({ means }) => means === null))
    })
    t.ok(took < READING, `${took} ms`)
  },
)
