/**
 * Load: agents who all write at once, each on its own connection, until they are stopped or the service no longer
 * answers.
 */
import type { Chance } from "./chance.ts"
import type { Agent, Ground } from "./ground.ts"
import { type Sent, written } from "./journal.ts"
import { Files } from "./library-repertoire.ts"
import { Line, Violation } from "./line.ts"
import { inRooms, type Kind } from "./repertoire.ts"
import { Shelf } from "./shelf.ts"
import { work } from "./work-repertoire.ts"

/** The operations an agent of a Room chooses from at random, with repetitions as weights. */
const kinds: readonly Kind[] = [...inRooms, ...work].flatMap(([kind, times]) =>
  Array.from({ length: times }, () => kind),
)

/** Writes without a guard: they are accepted, once or repeated, and in any order. */
const unguarded: ReadonlySet<string> = new Set([
  "post_message",
  "create_thread",
  "publish_hypothesis",
  "register_material",
  "save_papers",
  "create_collection",
])

/** The writers of one data folder, and what they know. They resume after every end of the service. */
export class Writers {
  readonly #ground: Ground
  readonly #shelves = new Map<string, Shelf>()
  readonly files = new Files()

  constructor(ground: Ground) {
    this.#ground = ground
    for (const { room } of ground.agents)
      if (room !== null) this.#shelves.set(room.roomId, new Shelf(room.openingThreadId))
  }

  /** Records the outcome of a write. */
  learn(sent: Sent): void {
    const { agent, receipt } = sent
    if (receipt === null) return
    if (agent.room === null) this.files.learn(sent, receipt.result)
    else this.#shelves.get(agent.room.roomId)?.learn(sent, receipt)
  }

  /** A write that the agent may send and has a reason for. */
  think(agent: Agent, chance: Chance): Sent {
    if (agent.room === null) return written(agent, this.files.think(agent, chance))
    const { roomId } = agent.room
    const scene = {
      agent,
      chance,
      roomId,
      shelf: this.#shelves.get(roomId) as Shelf,
      repository: this.#ground.repository,
    }
    for (;;) {
      const thought = (chance.of(kinds) as Kind)(scene)
      if (thought === undefined) continue
      const sent = written(agent, thought, chance.oneIn(25))
      if (sent.operation.permissions.every((permission) => agent.permissions.has(permission))) return sent
    }
  }
}

export interface Load {
  /** Everything sent so far. */
  readonly sent: readonly Sent[]
  /** Resolves once this many more were acknowledged, or once no writer is left. */
  acknowledged(more: number): Promise<void>
  /** The same for writes that failed because of the storage (see `mayFail`). */
  failed(more: number): Promise<void>
  /**
   * Resolves once every writer has stopped: on request, or because the service no longer answers. @throws the error of
   * one of them
   */
  ended(): Promise<void>
  /** Lets every writer finish what is under way. */
  stop(): void
}

export interface LoadOptions {
  readonly baseUrl: string
  readonly connections: number
  readonly chance: Chance
  /**
   * Whether the storage may fail: a write is then answered 503 in the envelope, and its writer continues. Otherwise a
   * 5xx is a violation.
   */
  readonly mayFail?: boolean
}

/** Starts writers on a running service. */
export function startLoad(
  writers: Writers,
  agents: readonly Agent[],
  { baseUrl, connections, chance, mayFail = false }: LoadOptions,
): Load {
  const sent: Sent[] = []
  const waiting = new Set<{ what: keyof typeof seen; until: number; resolve: () => void }>()
  const seen = { acknowledged: 0, failed: 0 }
  let stopped = false

  const note = (what: keyof typeof seen) => {
    seen[what] += 1
    for (const wait of waiting) {
      if (wait.what !== what || seen[what] < wait.until) continue
      waiting.delete(wait)
      wait.resolve()
    }
  }

  async function writer(agent: Agent, own: Chance): Promise<void> {
    const line = new Line(baseUrl)
    try {
      while (!stopped) {
        const write = writers.think(agent, own)
        sent.push(write)
        const leaves = unguarded.has(write.operation.name) && !write.rehearsed && own.oneIn(20)
        let answer = await line.send(write, leaves ? own.between(0, 4) : undefined)
        // A writer that disconnected before the answer comes back and asks again.
        if (answer === null && leaves) answer = await line.send(write)
        if (answer === null) return
        if (answer.status >= 500) {
          const known =
            answer.status === 503 &&
            /"refusal":"temporarily_unavailable".*"retryable":true,"retryAfter":\d/.test(answer.text)
          if (!mayFail || !known)
            throw new Violation(`${write.operation.name} was answered ${answer.status}: ${answer.text}`)
          note("failed")
        }
        if (write.outcome !== "acknowledged") continue
        writers.learn(write)
        note("acknowledged")
      }
    } finally {
      line.close()
    }
  }

  const all = Promise.all(
    Array.from({ length: connections }, (_, index) =>
      writer(agents[index % agents.length] as Agent, chance.part(`writer ${index}`)),
    ),
  )
  // There may be no listener yet; `ended` passes it on.
  all.catch(() => undefined)
  const reached = (what: keyof typeof seen, more: number) =>
    new Promise<void>((resolve) => {
      waiting.add({ what, until: seen[what] + more, resolve })
      void all.catch(() => undefined).then(() => resolve())
    })
  return {
    sent,
    acknowledged: (more) => reached("acknowledged", more),
    failed: (more) => reached("failed", more),
    ended: async () => void (await all),
    stop: () => void (stopped = true),
  }
}
