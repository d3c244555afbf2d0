/**
 * Measures a page of a list at 1,000 and at 100,000 attempts, run by hand: `node --conditions=research-room-source
 * test/research/work/scale.ts`. For each filter it reads the page of 50 in the middle of the matches and writes it as
 * JSON, alternating between both databases; it prints the median and the ratio.
 */
import { rmSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Writable, writeJson } from "../../../src/contract/json.ts"
import { createInstance, type Instance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import { fill, type Filled } from "./scale-fill.ts"

const SIZES = [1_000, 100_000] as const
const ROUNDS = 400

interface Made extends Filled {
  readonly instance: Instance
}

const folder = mkdtempSync(join(tmpdir(), "research-room-scale-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

function made(attempts: number): Made {
  const { db, world, instanceId } = openData(join(folder, `${attempts}.db`))
  const instance = createInstance({ db, world, instanceId })
  return { ...fill(db, attempts), instance }
}

type Query = Record<string, string>
const filters: readonly [string, (made: Filled) => Query][] = [
  ["none", () => ({})],
  ["experimentId", ({ experimentId }) => ({ experimentId })],
  ["roomId", ({ roomId }) => ({ roomId })],
  ["status", () => ({ status: "failed" })],
  ["intent", () => ({ intent: "rerun" })],
  ["label", ({ roomId, label }) => ({ roomId, label })],
  ["findingVersionId", ({ findingVersionId }) => ({ findingVersionId })],
  ["experimentId, status", ({ experimentId }) => ({ experimentId, status: "failed" })],
  ["experimentId, intent", ({ experimentId }) => ({ experimentId, intent: "rerun" })],
  ["roomId, status", ({ roomId }) => ({ roomId, status: "failed" })],
  ["roomId, intent", ({ roomId }) => ({ roomId, intent: "rerun" })],
  ["roomId, experimentId", ({ roomId, experimentId }) => ({ roomId, experimentId })],
  ["status, intent", () => ({ status: "failed", intent: "rerun" })],
  ["roomId, status, intent", ({ roomId }) => ({ roomId, status: "failed", intent: "rerun" })],
  ["findingVersionId, status", ({ findingVersionId }) => ({ findingVersionId, status: "failed" })],
  ["a small experiment", ({ smallExperimentId }) => ({ experimentId: smallExperimentId })],
  ["  and a status", ({ smallExperimentId }) => ({ experimentId: smallExperimentId, status: "failed" })],
  [
    "  and its Room, status",
    ({ roomId, smallExperimentId }) => ({ roomId, experimentId: smallExperimentId, status: "failed" }),
  ],
  ["nothing of that status", () => ({ status: "preflight_failed" })],
  ["  in a Room", ({ roomId }) => ({ roomId, status: "preflight_failed" })],
  ["  in a large experiment", ({ experimentId }) => ({ experimentId, status: "preflight_failed" })],
  ["findingVersionId, roomId", ({ findingVersionId, roomId }) => ({ findingVersionId, roomId })],
]

const page = ({ instance }: Made, query: Query) =>
  instance.readers.attempts({ params: {}, query: query as never, actor: null }) as {
    readonly items: readonly Writable[]
  }

/** The id after which the middle page of the matches begins, and the number of matches. */
function middle({ instance }: Made, query: Query): { after: string; matching: number } {
  const columns: Query = {
    experimentId: "experiment_id",
    roomId: "room_id",
    status: "status",
    intent: "intent",
    label: "label",
  }
  const given = Object.entries(query)
  const conditions = given.map(([name]) =>
    name === "findingVersionId"
      ? "attempt_id IN (SELECT attempt_id FROM finding_attempts WHERE version_id = ?)"
      : `${columns[name]} = ?`,
  )
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`
  const ids = instance.db
    .prepare<{ attempt_id: string }>(`SELECT attempt_id FROM attempts ${where} ORDER BY attempt_id`)
    .all(...given.map(([, value]) => value))
  const before = ids[Math.max(0, Math.floor((ids.length - 50) / 2) - 1)]?.attempt_id
  return {
    after: ids.length > 50 && before !== undefined ? before : "00000000-0000-0000-0000-000000000000",
    matching: ids.length,
  }
}

const median = (values: number[]): number => values.sort((one, other) => one - other)[values.length >> 1] as number

const databases = SIZES.map(made)
console.log(`${"filter".padEnd(26)}${SIZES.map((size) => `${size} attempts`.padStart(34)).join("")}   ratio`)
for (const [name, queryOf] of filters) {
  const asked = databases.map((database) => ({ database, ...middle(database, queryOf(database)) }))
  const times: number[][] = asked.map(() => [])
  let items: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    items = asked.map(({ database, after }, index) => {
      const begun = performance.now()
      const found = page(database, { ...queryOf(database), after })
      const length = writeJson(found.items).length
      times[index]?.push(performance.now() - begun)
      return length > 0 ? found.items.length : 0
    })
  }
  const medians = times.map((values) => median(values.slice(ROUNDS / 4)))
  const told = asked.map(({ matching }, index) =>
    `${(medians[index] as number).toFixed(3)} ms  ${items[index]} of ${matching}`.padStart(34),
  )
  console.log(`${name.padEnd(26)}${told.join("")}   ${((medians[1] as number) / (medians[0] as number)).toFixed(2)}`)
}
for (const { instance } of databases) instance.db.close()
