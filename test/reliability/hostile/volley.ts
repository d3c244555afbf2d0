/** A volley: requests of one kind, all at once, as fast as possible. Records the answer to each. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { readAnswer } from "../fuzz/answers.ts"
import type { Ground } from "../fuzz/ground.ts"
import { type Shot, shot } from "../fuzz/shot.ts"
import { type Outcome, Wire } from "../fuzz/wire.ts"

/** Called with every request sent, its answer, and the milliseconds in between. */
export type Note = (given: Shot, outcome: Outcome, milliseconds: number) => void

export interface Volley {
  readonly name: string
  /** Requests in it. */
  readonly size: number
  /** @param until the time on this process's clock after which it stops sending */
  run(ground: Ground, note: Note, until: number): Promise<void>
  /** Those of its requests that can be repeated in any order. */
  readonly shots: readonly Shot[]
}

/** Sends shots on this many connections at once, each after the answer to the one before. */
export async function fire(
  ground: Ground,
  shots: readonly Shot[],
  abreast: number,
  note: Note,
  until = Number.POSITIVE_INFINITY,
) {
  let next = 0
  const sender = async () => {
    const wire = new Wire(ground.baseUrl)
    while (next < shots.length && performance.now() < until) {
      const given = shots[next++] as Shot
      const began = performance.now()
      const outcome = await wire.exchange(given.pieces, given.methods, given.ending)
      note(given, outcome, performance.now() - began)
    }
    wire.close()
  }
  await Promise.all(Array.from({ length: Math.min(abreast, shots.length) }, sender))
  return next
}

export const firing = (name: string, abreast: number, shots: readonly Shot[]): Volley => ({
  name,
  size: shots.length,
  shots,
  run: async (ground, note, until) => void (await fire(ground, shots, abreast, note, until)),
})

interface Holding {
  readonly count: number
  /** How long all are held once they are open. */
  readonly seconds: number
  /** What each sends first, and then repeats at this interval in milliseconds. */
  readonly first: (index: number) => Buffer
  readonly again?: { readonly bytes: Buffer; readonly every: number }
  /** Whether it reads the answers. */
  readonly reads?: boolean
}

/**
 * Connections opened at one time, and milliseconds to the next ones. A process accepts them one after the other: with
 * all of them at once a newcomer would wait behind the queue, and the cost of the held ones could not be measured.
 */
const [AT_ONCE, APART] = [10, 15]

/** Opens connections, sends something on each, and holds them; records the answers of the service. */
export const holding = (name: string, { count, seconds, first, again, reads = true }: Holding): Volley => ({
  name,
  size: count,
  shots: [],
  async run({ baseUrl }, note) {
    const { hostname, port } = new URL(baseUrl)
    const held: Socket[] = []
    const open = async (index: number) => {
      const bytes = first(index)
      const began = performance.now()
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      held.push(socket)
      socket.on("error", () => undefined)
      const given = shot({
        attack: name,
        target: null,
        path: null,
        pieces: [bytes],
        methods: ["GET"],
        isSound: false,
        ending: "wait",
      })
      if (reads) collect(socket, (outcome) => note(given, outcome, performance.now() - began))
      await Promise.race([once(socket, "connect").catch(() => undefined), once(socket, "close")])
      if (socket.writable) socket.write(bytes)
      if (!reads) socket.pause()
    }
    for (let at = 0; at < count; at += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, index) => open(at + index)))
      await pause(APART)
    }
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      await pause(Math.min(again?.every ?? 1000, Math.max(1, end - performance.now())))
      if (again !== undefined)
        for (const socket of held) if (socket.writable && socket.writableLength === 0) socket.write(again.bytes)
    }
    for (const socket of held) socket.destroy()
  },
})

/** The first answer on a connection, if there is one. */
function collect(socket: Socket, told: (outcome: Outcome) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  let isOver = false
  socket.on("data", (chunk: Buffer) => {
    if (isOver) return
    bytes = Buffer.concat([bytes, chunk])
    const front = readAnswer(bytes, "GET", false)
    if (!("answer" in front)) return
    isOver = true
    told({ answers: [front.answer], fault: null, end: "open", finishedFirst: false })
  })
}
