/** Receives the bytes of a request's body, within its limit and the budgets. */
import { Readable } from "node:stream"
import { setTimeout as pause } from "node:timers/promises"
import type { H3Event } from "h3"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { type Bodies, overBudget, ownTurn } from "./budgets.ts"
import { contextOf, type NodeSide, nodeSide, type RequestContext } from "./request-context.ts"

/** A body up to this many bytes costs no more to parse than any other request. */
const SMALL = 64 * 1024
/** Pieces read before other requests get a turn: a piece of three bytes costs as much as one of 64 kB. */
const PIECES = 1_000

/** Size of the first buffer allocated when a body has more than one piece. */
const FIRST = 16 * 1024

/** Collects a body in one buffer. Many small pieces would take many times their length. */
class BodyBuffer {
  readonly #most: number
  #bytes: Buffer = Buffer.alloc(0)
  length = 0

  /** @param most the most bytes it may hold @param announced the declared length; null if none was declared */
  constructor(most: number, announced: number | null) {
    this.#most = Math.min(most, announced ?? most)
  }

  /** The bytes of memory in use after `chunk` is added. */
  holdsWith(chunk: Uint8Array): number {
    const length = this.length + chunk.length
    // The first piece is kept without copying.
    if (this.length === 0 || length <= this.#bytes.length) return Math.max(this.#bytes.length, length)
    let room = FIRST
    while (room < length) room *= 2
    return Math.max(length, Math.min(room, this.#most))
  }

  add(chunk: Buffer): void {
    if (this.length === 0) {
      this.#bytes = chunk
    } else {
      const room = this.holdsWith(chunk)
      if (room > this.#bytes.length) {
        const larger = Buffer.allocUnsafeSlow(room)
        this.#bytes.copy(larger, 0, 0, this.length)
        this.#bytes = larger
      }
      chunk.copy(this.#bytes, this.length)
    }
    this.length += chunk.length
  }

  take(): Uint8Array {
    const whole = this.#bytes.subarray(0, this.length)
    this.forget()
    return whole
  }

  forget(): void {
    this.#bytes = Buffer.alloc(0)
    this.length = 0
  }
}

/** The refusal of a body over the limit. */
const tooLarge = (most: number): Refusal =>
  new Refusal("request_too_large", `The request body is over ${most} bytes; it was not read to its end.`, {
    headers: { connection: "close" },
  })

/**
 * Reads the bytes of the body.
 * @param ofAddress whether they count for the address alone: a copy does not know who sends what it passes on
 * @throws Refusal `request_too_large` as soon as the limit is passed,
 * `temporarily_unavailable` if the budget is used up
 */
export async function bytesOf(
  event: H3Event,
  atMost: number = limits.requestBodyBytes,
  ofAddress = false,
): Promise<Uint8Array> {
  const node = nodeSide(event)
  const context = contextOf(event)
  const caller = node === undefined ? null : ofAddress ? context.address : callerOf(context)
  const most = node !== undefined && caller === null ? Math.min(atMost, limits.strangerBodyBytes) : atMost
  const announced = event.req.headers.get("content-length")
  if (announced !== null && Number(announced) > most) throw tooLarge(most)
  if (node !== undefined) {
    const { budgets } = node.res
    const bodies = caller === null ? budgets?.strangersBodies : budgets?.bodies
    node.res.sendContinue()
    const bytes = await fromSocket(node, {
      most,
      announced: announced === null ? null : Number(announced),
      bodies,
      key: caller ?? context.address,
    })
    if (bytes.length > SMALL) await ownTurn()
    return bytes
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of event.req.body ?? []) {
    length += chunk.byteLength
    if (length > most) throw tooLarge(most)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Uploads of logs that are received at once, and of one caller; each holds up to a kept log's bytes, compressed. */
const [LOGS_AT_ONCE, LOGS_OF_ONE] = [4, 2]
/** The callers whose logs are received, once for each log. */
const logsComing: string[] = []

/**
 * An upload rests so many times as long as it worked, at least so many milliseconds at once and at most so many in all:
 * else one of 16 MiB would take both processors of a small machine for 200 ms, and every write beside it would wait.
 */
const [REST, AT_ONCE, IN_ALL] = [10, 5, 3_000]

/** Gives the memory of a chunk back at once. Else V8 would collect garbage for it, and everybody would wait. */
function free({ buffer, byteLength }: Uint8Array): void {
  // A smaller chunk shares its memory with others.
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

/** Passes chunks on, and rests between them. A chunk is empty once the next one was asked for. */
async function* unhurried(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [owed, rested] = [0, 0]
  for await (const chunk of chunks) {
    const startedAt = performance.now()
    yield chunk
    owed += REST * (performance.now() - startedAt)
    free(chunk)
    const rest = Math.min(owed, IN_ALL - rested)
    if (rest < AT_ONCE) continue
    await pause(rest)
    rested += rest
    owed = 0
  }
}

/**
 * Takes in the body of an upload in pieces, without holding it whole. @param take returns what is kept of it @throws
 * Refusal `temporarily_unavailable` while too many are received, of all or of this caller
 */
export async function receiveLog<T>(
  event: H3Event,
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const context = contextOf(event)
  const caller = callerOf(context) ?? context.address
  if (logsComing.filter((other) => other === caller).length >= LOGS_OF_ONE)
    throw overBudget("The service is receiving other logs of this caller")
  if (logsComing.length >= LOGS_AT_ONCE) throw overBudget("The service is receiving other logs")
  const node = nodeSide(event)
  logsComing.push(caller)
  try {
    node?.res.sendContinue()
    return await take(unhurried(node?.req ?? event.req.body ?? Readable.from([])))
  } finally {
    logsComing.splice(logsComing.indexOf(caller), 1)
  }
}

const callerOf = ({ credentialId, keyId, userId }: RequestContext): string | null => credentialId ?? keyId ?? userId

interface Receiving {
  readonly most: number
  readonly announced: number | null
  /** The budget and the key that the memory counts against. */
  readonly bodies: Bodies | undefined
  readonly key: string
}

/** Reads the body straight from the socket. A web stream would make a write cost 10 % more. */
function fromSocket({ req, res }: NodeSide, { most, announced, bodies, key }: Receiving): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let isStopped = false
    const stop = (refusal: unknown) => {
      isStopped = true
      req.pause()
      req.removeAllListeners("data")
      gathered.forget()
      reject(refusal)
    }
    const gathered = new BodyBuffer(most, announced)
    const body = bodies?.open(key, stop)
    if (body !== undefined) res.once("close", () => bodies?.close(body))
    const take = (chunk: Buffer) => {
      if (gathered.length + chunk.length > most) return stop(tooLarge(most))
      try {
        if (body !== undefined) bodies?.grow(body, gathered.holdsWith(chunk))
      } catch (error) {
        return stop(error)
      }
      gathered.add(chunk)
    }
    req.on("data", take)
    // Chunks may be as small as three bytes. The stream's queue would make each cost three times as much.
    const queue = req.push.bind(req)
    let pieces = 0
    const resume = async () => {
      await ownTurn()
      pieces = 0
      if (!isStopped && !req.complete) req._read(0)
    }
    req.push = (chunk: Buffer | null) => {
      if (chunk === null || isStopped || req.readableLength > 0) return queue(chunk)
      take(chunk)
      pieces += 1
      if (pieces === PIECES) void resume()
      // False stops reading from the socket until `resume` runs.
      return pieces < PIECES
    }
    req.on("end", () => {
      if (body !== undefined) bodies?.whole(body)
      resolve(gathered.take())
    })
    // The client disconnected. A refusal keeps this from counting as a fault of the service.
    req.on("error", () =>
      reject(new Refusal("request_timeout", "The request did not arrive completely.", { retryAfter: 1 })),
    )
  })
}
