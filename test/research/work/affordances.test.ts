/**
 * Affordances are exactly what the service would accept next, and from whom. After every step of a random history
 * everybody rehearses every write: those that the reads afford must be admitted, all others refused.
 */
import fc from "fast-check"
import type { ResearchRoomClient } from "research-room/client"
import t from "tap"
import { operationNamed } from "../../../src/contract/operations/index.ts"
import { affords, attemptTries, bodyOf, experimentTries, type Grounds, rehearsed, type Try } from "./affordances.ts"
import { type Place, proposal } from "../../support/bodies.ts"
import { openInside } from "../../support/lab.ts"
import { runs, seedWhenJudged } from "../../support/chance.ts"

let ahead = 0
const everybody = ["ada", "grace", "mary", "anna"] as const
type Name = (typeof everybody)[number]
const lab = await openInside(t, { people: everybody, clock: () => Date.now() + ahead })
const { reader } = lab

/** A Room with the history under test. */
class Scene {
  readonly room: Place
  readonly members = new Set<Name>(everybody)
  readonly experiments: string[] = []
  readonly attempts: { readonly attemptId: string; readonly experimentId: string }[] = []
  readonly #clients = new Map<Name, ResearchRoomClient>()

  private constructor(room: Place) {
    this.room = room
  }

  static async open(): Promise<Scene> {
    const scene = new Scene(await lab.place("Where the work is done", everybody))
    for (const person of everybody) await scene.#issue(person)
    return scene
  }

  /** Gives a person a client with a credential for work only. */
  async #issue(person: Name) {
    const permissions = ["manage_own_experiments"] as const
    this.#clients.set(person, await lab.client(person, this.room.roomId, { permissions }))
  }

  client = (person: Name) => this.#clients.get(person) as ResearchRoomClient

  /** Returns everything that can be tried, each with its affordances. */
  async subjects() {
    const experiments = await Promise.all(
      this.experiments.map((experimentId) => reader.read("experiment", { experimentId })),
    )
    // An attempt of any Room can be reproduced, even from earlier histories.
    const [any] = (await reader.read("attempts", { limit: 1 })).items
    const grounds = (experimentId: string): Grounds => ({
      planId: experiments.find((one) => one.experimentId === experimentId)?.acceptedPlans[0]?.planId,
      ownAttempt: this.attempts.find((one) => one.experimentId === experimentId)?.attemptId,
      anyAttempt: any?.attemptId,
    })
    const attempts = await Promise.all(this.attempts.map(({ attemptId }) => reader.read("attempt", { attemptId })))
    return [
      ...experiments.map(({ experimentId, affordances, label, status }) => ({
        id: { experimentId },
        affordances,
        name: `${status} ${label}`,
        tries: experimentTries,
        grounds: grounds(experimentId),
      })),
      ...attempts.map(({ attemptId, experimentId, affordances, label, status }) => ({
        id: { attemptId },
        affordances,
        name: `${status} ${label}`,
        tries: attemptTries,
        grounds: grounds(experimentId),
      })),
    ]
  }

  /** Rehearses every write as every person, and returns where affordances and admission disagree. */
  async disagreements(): Promise<string[]> {
    const found: string[] = []
    for (const { id, affordances, name, tries, grounds } of await this.subjects()) {
      for (const { operation, path, permission } of affordances.operations) {
        const { path: own, permissions } = operationNamed(operation) ?? {}
        if (path !== own || permissions?.join() !== permission)
          found.push(`${operation} of ${name} is afforded at ${path} with ${permission}`)
      }
      for (const one of tries) {
        for (const person of everybody) {
          const refusal = await rehearsed(this.client(person), one, bodyOf(one, id, affordances, grounds))
          const afforded = affords(affordances, one, lab.people[person].userId, this.members.has(person))
          if (afforded !== (refusal === null))
            found.push(
              `${one.operation} ${one.value ?? ""} of ${name} by ${person} is ` +
                `${afforded ? "afforded" : "not afforded"} and ${refusal ?? "admitted"}`,
            )
        }
      }
    }
    return found
  }

  /** Returns the affordances in lists that differ from those of the single reads. */
  async unlike(): Promise<unknown[]> {
    const { roomId } = this.room
    const listed = [
      ...(await reader.read("experiments", { roomId })).items,
      ...(await reader.read("attempts", { roomId })).items,
    ]
    const read = new Set((await this.subjects()).map(({ affordances }) => JSON.stringify(affordances)))
    return listed.filter(({ affordances }) => !read.has(JSON.stringify(affordances)))
  }

  /**
   * The possible next moves: any afforded write, a proposal, a member leaving or returning, or half an hour passing.
   */
  async moves(): Promise<(() => Promise<unknown>)[]> {
    const moves: (() => Promise<unknown>)[] = []
    for (const { id, affordances, tries, grounds } of await this.subjects()) {
      for (const one of tries) {
        for (const person of this.members) {
          if (affords(affordances, one, lab.people[person].userId, true))
            moves.push(() => this.#write(person, one, bodyOf(one, id, affordances, grounds)))
        }
      }
    }
    if (this.experiments.length < 2) moves.unshift(() => this.#propose([...this.members].at(-1) as Name))
    const away = everybody.find((person) => !this.members.has(person))
    moves.push(() => (away === undefined ? this.#leave("anna") : this.#return(away)))
    // Leases lapse during this time.
    moves.push(async () => void (ahead += 31 * 60_000))
    return moves
  }

  async #write(person: Name, { operation }: Try, body: Record<string, unknown>) {
    await this.client(person).write(operation, body as never)
    if (operation === "register_attempt") this.attempts.push(body as { attemptId: string; experimentId: string })
  }
  async #propose(person: Name) {
    const { result } = await this.client(person).write("propose_experiment", proposal(this.room))
    this.experiments.push(result.experimentId)
  }
  async #leave(person: Name) {
    await lab.write("ada", "remove_member", { roomId: this.room.roomId, userId: lab.people[person].userId })
    this.members.delete(person)
  }
  async #return(person: Name) {
    await lab.write("ada", "add_member", { roomId: this.room.roomId, username: person })
    // The credentials of the earlier membership stay revoked.
    await this.#issue(person)
    this.members.add(person)
  }
}

const seed = Number(process.env.SEED ?? seedWhenJudged ?? Date.now() % 2 ** 31)

// shows: Affordances name what would be accepted next and by whom, with the expected block to copy; they grant nothing.
// shows: Experiments and attempts move as the tables say, and in no other way.
// shows: The proposer amends and cancels while it is open; an amendment raises the revision.
// shows: Completed and cancelled are final; there is no forced takeover.
// shows: Only the assignee registers planned, exploratory or rerun attempts; any member registers a reproduction
//   without taking the work.
t.test("after every step, every afforded write is admitted and every other refused", async (t) => {
  let [steps, tried] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(10_000), { minLength: 8, maxLength: 16 }), async (picks) => {
      const scene = await Scene.open()
      for (const pick of picks) {
        const moves = await scene.moves()
        await moves[pick % moves.length]?.()
        steps += 1
        tried +=
          everybody.length *
          (scene.experiments.length * experimentTries.length + scene.attempts.length * attemptTries.length)
        const found = await scene.disagreements()
        if (found.length > 0) throw new Error(found.join("\n"))
      }
      if ((await scene.unlike()).length > 0) throw new Error("a list affords something else")
      await lab.archive(scene.room.roomId)
      for (const { affordances } of await scene.subjects())
        if (affordances.operations.length > 0) throw new Error("something is afforded in an archived Room")
      const found = await scene.disagreements()
      if (found.length > 0) throw new Error(found.join("\n"))
    }),
    { seed, numRuns: runs(14, 3) },
  )
  t.ok(tried > steps * 20, `seed ${seed}: ${tried} writes were rehearsed after ${steps} steps`)
})
