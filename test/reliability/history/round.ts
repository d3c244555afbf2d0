/** One round: many clients in a few new Rooms, each at its own pace or all in step, until each has done its share. */
import { Board } from "./board.ts"
import { chanceOf } from "../support/chance.ts"
import { Client, type Stage } from "./client.ts"
import { type History, parsed, type Write } from "./history.ts"
import type { Credential, Company, Person } from "./company.ts"
import { begin } from "./scenes.ts"
import { truthOf } from "./truth.ts"

export interface RoundOptions {
  readonly seed: string
  readonly clients: number
  /** The actions of each client. */
  readonly steps: number
  readonly rooms: number
  /** All clients begin each action at once, so that their writes share groups. */
  readonly inStep: boolean
}

/** Lets everyone continue once all have arrived. */
class Barrier {
  readonly #size: number
  #waiting: (() => void)[] = []

  constructor(size: number) {
    this.#size = size
  }

  arrive(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length < this.#size) return
      for (const go of this.#waiting.splice(0)) go()
    })
  }
}

/** All clients want the same at once: the one experiment, the one checkpoint; or send the same message twice. */
async function volley(client: Client, stage: Stage, step: number): Promise<void> {
  const { board } = stage
  const maker = client.maker(stage)
  const open = board.experiments.all().find(({ status }) => status === "open")
  const choices = [
    () => open && maker.make("take_experiment", open),
    () => maker.checkpoint(board.threads[0] as string),
    () => maker.make("assert_supersession"),
    () => open && maker.make("amend_experiment", open),
  ]
  const intent = choices[step % choices.length]?.()
  await client.write(stage, intent ?? maker.any(), client.credential(stage))
}

/** Follows a Room's feed by waiting for new entries. */
async function follow(client: Client, stage: Stage, until: AbortSignal): Promise<void> {
  let after = 0
  while (!until.aborted) {
    const before = stage.reads.length
    await client.read(stage, "room_activity", { roomId: stage.room.roomId, after, wait: 1 }, until)
    const last = stage.reads.slice(before).findLast(({ params }) => params.wait === 1 && params.after === after)
    if (last?.status === 200) after = parsed<{ nextCursor: number }>(last.answer).nextCursor
  }
}

/** Reads everything once more when all is over: everything must show its final state. */
async function lookAround(client: Client, stage: Stage): Promise<void> {
  const { room, board } = stage
  await client.read(stage, "room_context", { roomId: room.roomId })
  for (const { id: experimentId } of board.experiments.all()) {
    await client.read(stage, "experiment", { experimentId })
    await client.read(stage, "experiment_history", { experimentId, after: 0, limit: 50 })
  }
  for (const { id: attemptId } of board.attempts.all()) await client.read(stage, "attempt", { attemptId })
  const told = stage.writes.findLast(
    ({ client: sender, status, rehearsal, credential }) =>
      sender === 0 && status === 200 && !rehearsal && credential !== null,
  )
  if (told !== undefined) await client.askReceipt(stage, told)
}

async function play(options: RoundOptions, clients: readonly Client[], stages: readonly Stage[]): Promise<void> {
  const { seed, steps, inStep } = options
  for (const stage of stages) await begin(stage, clients)
  const barrier = new Barrier(clients.length)
  const places = chanceOf(`${seed} places`)
  const placeOf = Array.from({ length: steps }, () => places.below(stages.length))
  await Promise.all(
    clients.map(async (client, index) => {
      const own = chanceOf(`${seed} client ${index} place`)
      for (let step = 0; step < steps; step++) {
        if (inStep) await barrier.arrive()
        const stage = stages[inStep && step % 4 === 3 ? (placeOf[step] as number) : own.below(stages.length)] as Stage
        if (inStep && step % 4 === 3) await volley(client, stage, (step - 3) / 4)
        else await client.act(stage)
      }
    }),
  )
}

/** Plays a round and collects its record: a history for each of its Rooms. */
export async function playRound(company: Company, options: RoundOptions): Promise<History[]> {
  const { seed, rooms, clients: count } = options
  const stages: Stage[] = []
  for (let index = 0; index < rooms; index++) {
    const room = await company.room(`Round ${seed}, ${index}`)
    stages.push({ room, board: new Board(room.openingThreadId), writes: [], reads: [] })
  }
  const clientOf = (index: number) => {
    const person = company.people[index % company.people.length] as Person
    return new Client({ index, company, person, chance: chanceOf(`${seed} client ${index}`) })
  }
  const clients = Array.from({ length: count }, (_none, index) => clientOf(index))
  const watchers = stages.map((_stage, index) => clientOf(count + index))
  const over = new AbortController()
  try {
    const followed = Promise.all(watchers.map((watcher, index) => follow(watcher, stages[index] as Stage, over.signal)))
    await play(options, clients, stages)
    over.abort()
    await followed
    for (const stage of stages) await lookAround(clients[0] as Client, stage)
    const ownerId = (company.people[0] as Person).userId
    return await Promise.all(
      stages.map(async (stage) => ({
        writes: stage.writes,
        reads: stage.reads,
        truth: await truthOf(company.baseUrl, stage.room, ownerId, stage.writes, tokensOf(stage)),
      })),
    )
  } finally {
    over.abort()
    for (const client of [...clients, ...watchers]) client.close()
  }
}

/** The token a write was sent with. */
function tokensOf({ room }: Stage): (write: Write) => string | null {
  const all = new Map(
    [...room.credentials.values()].flat().map((credential: Credential) => [credential.id, credential.token]),
  )
  return ({ credential }) => (credential === null ? null : (all.get(credential.id) ?? null))
}
