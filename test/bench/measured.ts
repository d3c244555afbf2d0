/**
 * A Room with 2,000 attempts of 100 values each, by arm, size and seed: how long its measurement table takes. The
 * values are reported over HTTP, six attempts per batch.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { copyData, readDemo, remove, repositoriesOf } from "./data/demo.ts"
import { startServe } from "./process.ts"
import { progress } from "./progress.ts"
import type { Bench } from "./settings.ts"

const [ATTEMPTS, VALUES, IN_BATCH] = [2_000, 100, 6]
/** Milliseconds for the table on an experiment's page. */
const WANTED = 100
const ARMS = ["baseline", "shift", "smoothing", "both"]
const SIZES = [50, 100, 200, 400, 800]

/**
 * How many attempts have seeds of their own: with one, all share five seeds and so the places of their values; with
 * all, no place has two values.
 */
const SHARING = { "shared seeds": 1, "seeds of their own": ATTEMPTS } as const

/** The values of one attempt: each arm at each size, for five seeds. */
const valuesOf = (attempt: number, own: number) =>
  Array.from({ length: VALUES }, (_, index) => {
    const [arm = "", size = 0] = [ARMS[index % ARMS.length], SIZES[Math.floor(index / ARMS.length) % SIZES.length]]
    const seed = 5 * (attempt % own) + Math.floor(index / (ARMS.length * SIZES.length))
    return {
      name: "error",
      value: 1 + 0.1 * (index % ARMS.length) + 0.3 * Math.sin(seed * 12.9898 + index),
      dimensions: { arm, size, seed },
    }
  })

export async function measured({ scratch, demo, reads, report }: Bench): Promise<void> {
  const { credentials, rooms, repositories } = readDemo(demo)
  const folder = copyData(demo, join(scratch, "measured"))
  const { port, end } = await startServe(folder, repositoriesOf(demo))
  const { token } = credentials.owner_all
  const { roomId, openingThreadId: threadId } = rooms.empty
  const batch = async (writes: readonly object[]) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/agent/research/batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ writes }),
    })
    if (!response.ok) throw new Error(await response.text())
    return ((await response.json()) as { readonly receipts: readonly { readonly targetId: string }[] }).receipts
  }
  const write = (body: object) => ({ schemaVersion: 3, requestId: randomUUID(), ...body })
  const { url, commit } = repositories.public
  const reportedAt = new Date().toISOString()
  const registration = {
    expectedRevision: 2,
    expectedStatus: "claimed",
    intent: "exploratory",
    repository: { url, commit },
  }
  const writesOf = (experimentId: string | undefined, attempt: number, own: number) => {
    const attemptId = randomUUID()
    const told = { attemptId, reportedAt }
    return [
      {
        operation: "register_attempt",
        body: write({
          attemptId,
          experimentId,
          ...registration,
          argv: ["run"],
          configuration: { attempt },
          inputs: [],
        }),
      },
      {
        operation: "report_attempt_event",
        body: write({ ...told, expectedRevision: 1, expectedStatus: "registered", event: "started" }),
      },
      {
        operation: "report_attempt_event",
        body: write({
          ...told,
          expectedRevision: 2,
          expectedStatus: "started",
          event: "succeeded",
          metrics: valuesOf(attempt, own),
        }),
      },
    ]
  }
  const rows = []
  for (const [sharing, own] of Object.entries(SHARING)) {
    const proposal = {
      roomId,
      threadId,
      question: "Which arm has the least error?",
      scope: "Five sizes.",
      hypotheses: [],
    }
    const taken = {
      experimentId: { $from: "proposed", path: "/targetId" },
      expectedRevision: 1,
      expectedStatus: "open",
    }
    const [proposed] = await batch([
      { as: "proposed", operation: "propose_experiment", body: write(proposal) },
      { operation: "take_experiment", body: write(taken) },
    ])
    const experimentId = proposed?.targetId
    const shown = progress("measured", ATTEMPTS)
    for (let from = 0; from < ATTEMPTS; from += IN_BATCH) {
      const some = Array.from({ length: Math.min(IN_BATCH, ATTEMPTS - from) }, (_, index) => from + index)
      await batch(some.flatMap((attempt) => writesOf(experimentId, attempt, own)))
      shown.step(`attempt ${from}`)
    }
    shown.end()

    const table = `/api/research/experiments/${experimentId}/measurements?metric=error`
    const paths = {
      "by arm": `${table}&by=arm`,
      "by arm and size, over seeds, against the baseline": `${table}&by=arm,size&over=seed&against=arm:baseline`,
      "the same where the size is 400": `${table}&by=arm&over=seed&against=arm:baseline&where=size:400`,
    }
    const rounds = Math.max(9, Math.round(reads / 10))
    for (const [name, path] of Object.entries(paths)) {
      const times: number[] = []
      let length = 0
      for (let round = 0; round <= rounds; round += 1) {
        const start = performance.now()
        const response = await fetch(`http://127.0.0.1:${port}${path}`)
        length = (await response.arrayBuffer()).byteLength
        if (!response.ok) throw new Error(`${path} is answered ${response.status}`)
        // The first request loads what it needs.
        if (round > 0) times.push(performance.now() - start)
      }
      rows.push({ name: `${sharing}, ${name}`, cells: [times, [Math.max(...times)], [length / 1_000]] })
      report.aimOf(`measurement table, ${sharing}, ${name}, ms`, times, { atMost: WANTED })
    }
  }
  await end()
  remove(folder)
  report.table({
    title: `${ATTEMPTS.toLocaleString("en")} attempts with ${VALUES} values each; times of the measurement table in ms`,
    notes: [],
    columns: [
      { name: "median", digits: 1 },
      { name: "longest", digits: 1 },
      { name: "kB", digits: 0 },
    ],
    rows,
  })
}
