/**
 * Many clients at once, on a real file over HTTP: what they saw is possible with one request at a time. The long form
 * is `npm run prove`.
 */
import assert from "node:assert/strict"
import tap, { test } from "tap"
import { Ledger } from "../../../src/ledger/write/ledger.ts"
import type { AnyBehaviour } from "../../../src/ledger/journal/delivery.ts"
import { checkHistory } from "./check.ts"
import { Findings } from "./faults.ts"
import { openInside } from "./inside.ts"
import { playRound, type RoundOptions } from "./round.ts"

const seed = process.env.PROVE_SEED ?? "npm test"

/**
 * How the service treats a few operations: correctly; or it notices only after writing that they are refused, so their
 * group has to be rolled back and repeated; or it ignores who holds an experiment.
 */
let mode: "ordinary" | "late" | "unguarded" = "ordinary"
const steps = [
  "amend_experiment",
  "cancel_experiment",
  "take_experiment",
  "release_experiment",
  "report_experiment_status",
]
const calls = new Set<unknown>()
let again = 0

const changeable = (name: string, behaviour: AnyBehaviour): AnyBehaviour => ({
  ...behaviour,
  admit(call, subject, at) {
    if (mode === "ordinary" || (mode === "unguarded" && name !== "take_experiment"))
      behaviour.admit?.(call, subject, at)
  },
  write(call, subject, change) {
    if (mode !== "late") return behaviour.write(call, subject, change)
    again += calls.has(call) ? 1 : 0
    calls.add(call)
    try {
      return behaviour.write(call, subject, change)
    } finally {
      // If the table itself rejects the write, it is refused for the reason that the protocol names.
      behaviour.admit?.(call, subject, change.at)
    }
  },
})

const learn = Ledger.prototype.setBehaviours
Ledger.prototype.setBehaviours = function (behaviours) {
  const told = Object.entries(behaviours as Record<string, AnyBehaviour>)
  const changed = told.map(([name, behaviour]) => [
    name,
    steps.includes(name) ? changeable(name, behaviour) : behaviour,
  ])
  learn.call(this, Object.fromEntries(changed) as object)
}
const company = await openInside(tap)
Ledger.prototype.setBehaviours = learn

async function judged(options: Partial<RoundOptions> = {}): Promise<Findings> {
  const all = new Findings()
  const round = {
    seed: `${seed} ${mode} ${options.inStep}`,
    clients: 12,
    steps: 30,
    rooms: 1,
    inStep: true,
    ...options,
  }
  for (const history of await playRound(company, round)) all.add(checkHistory(history))
  return all
}

/** Every Room has had its contended take and its messages sent twice, whatever else is random. */
function held({ faults, refusals, accepted, replays }: Findings, rooms = 1): void {
  assert.deepEqual(faults, [], `nothing is wrong with the histories of seed ${seed}`)
  assert.ok(accepted > 0 && replays > 0, "writes were accepted, and some of them replayed")
  assert.ok(
    (refusals.get("assignment_conflict") ?? 0) >= 10 * rooms,
    "of the twelve who took the same experiment at least ten were refused",
  )
}

test("clients at their own pace in two Rooms see what is possible with one request at a time", async () => {
  held(await judged({ rooms: 2, inStep: false }), 2)
})

test("clients in step, whose writes share groups, see the same", async () => {
  held(await judged())
})

test("writes refused after they have written leave nothing behind, whatever else is in their group", async (t) => {
  mode = "late"
  held(await judged())
  assert.ok(calls.size >= 12, "those who took the experiment could write first")
  t.comment(`${again} of ${calls.size} writes were undone with their group and done again`)
})

test("a faulty service is detected: one that lets everyone take a held experiment", async () => {
  mode = "unguarded"
  const { faults } = await judged({ steps: 4 })
  const illegal = faults.filter(({ kind, what }) => kind === "illegal" && what.includes("take_experiment"))
  assert.ok(illegal.length >= 10, "of the twelve who took the same experiment at least ten should have been refused")
})
