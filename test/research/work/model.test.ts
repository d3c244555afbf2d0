/**
 * Random histories: writes by four members and a stranger, with right and wrong expectations. Each answer and each read
 * is checked against a separate model. A failure prints its seed and the shortest history that shows it.
 */
import fc from "fast-check"
import t from "tap"
import { commands, type Real } from "./commands.ts"
import { House } from "../../support/house.ts"
import type { World } from "./model.ts"
import { runs, seedWhenJudged } from "../../support/chance.ts"

/** A new Room with four members, and a client of somebody who belongs to another Room. */
async function setUp(house: House): Promise<{ model: World; real: Real }> {
  const members = house.people.slice(0, 4)
  const stranger = house.people.slice(4)
  const [room, elsewhere] = [await house.room(members), await house.room(stranger)]
  const clients = [
    ...members.map((person) => room.client(person)),
    ...stranger.map((person) => elsewhere.client(person)),
  ]
  return { model: { experiments: [], attempts: [], members: new Set([0, 1, 2, 3]) }, real: { room, clients } }
}

const seed = Number(process.env.SEED ?? seedWhenJudged ?? Date.now() % 2 ** 31)

for (const [place, served, times, length] of [
  ["inside the process", false, runs(60, 8), 200],
  ["over a socket, on a file", true, runs(8, 2), 200],
] as const) {
  // shows: Experiments and attempts move as the tables say, and in no other way.
  // shows: Completed and cancelled are final; there is no forced takeover.
  // shows: Progress repeats metrics and moves nothing.
  // shows: A started attempt without an outcome reads as unknown.
  t.test(`the service and the model agree: ${place}`, async (t) => {
    const house = await House.open({ people: 5, served })
    t.teardown(() => house.close())
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(commands(length), async (history) => {
        let world: World | undefined
        await fc.asyncModelRun(async () => {
          const made = await setUp(house)
          world = made.model
          return made
        }, history)
        accepted +=
          (world?.experiments ?? []).reduce((sum, { revision }) => sum + revision, 0) +
          (world?.attempts ?? []).reduce((sum, { revision }) => sum + revision, 0)
      }),
      { seed, numRuns: times },
    )
    t.ok(accepted > times * 5, `seed ${seed}: ${accepted} writes were accepted`)
  })
}
