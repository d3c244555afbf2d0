/**
 * Random histories: writes by four members and a stranger, with right and wrong expectations. Each answer and each read
 * is checked against a separate model. A failure prints its seed and the shortest history that shows it.
 */
import fc from "fast-check"
import t from "tap"
import { commands, type Real } from "./commands.ts"
import { type Ending, openInside } from "../../support/lab.ts"
import type { World } from "./model.ts"
import { runs, seedWhenJudged } from "../../support/chance.ts"

const [members, stranger] = [["ada", "grace", "mary", "anna"], "emmy"] as const

/** A new Room with four members, and a client of somebody who belongs to another Room. */
async function setUp(lab: Awaited<ReturnType<typeof open>>): Promise<{ model: World; real: Real }> {
  const [room, elsewhere] = [await lab.room("Here", members), await lab.room("Elsewhere", [stranger])]
  const clients = [room.ada, room.grace, room.mary, room.anna, elsewhere.emmy]
  return { model: { experiments: [], attempts: [], members: new Set([0, 1, 2, 3]) }, real: { room, clients } }
}
const open = (t: Ending, served: boolean) => openInside(t, { people: [...members, stranger], served })

const seed = Number(process.env.SEED ?? seedWhenJudged ?? Date.now() % 2 ** 31)

for (const [place, served, times, length] of [
  ["inside the process", false, runs(60, 8), 200],
  ["over a socket", true, runs(8, 3), 200],
] as const) {
  // shows: Experiments and attempts move as the tables say, and in no other way.
  // shows: Completed and cancelled are final; there is no forced takeover.
  // shows: Progress repeats metrics and moves nothing.
  // shows: A started attempt without an outcome reads as unknown.
  t.test(`the service and the model agree: ${place}`, async (t) => {
    const lab = await open(t, served)
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(commands(length), async (history) => {
        let world: World | undefined
        await fc.asyncModelRun(async () => {
          const made = await setUp(lab)
          world = made.model
          return made
        }, history)
        accepted +=
          (world?.experiments ?? []).reduce((sum, { revision }) => sum + revision, 0) +
          (world?.attempts ?? []).reduce((sum, { revision }) => sum + revision, 0)
      }),
      { seed, numRuns: times },
    )
    t.ok(accepted > times, `seed ${seed}: ${accepted} writes were accepted`)
  })
}
