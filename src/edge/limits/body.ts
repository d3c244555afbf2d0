/** Receives and decodes the body of a request, within its limit and the budgets: JSON, forms, files and logs. */
import { Readable } from "node:stream"
import { setTimeout as pause } from "node:timers/promises"
import type { H3Event } from "h3"
import { limits } from "../../contract/limits.ts"
import { Refusal, type Issue } from "../../contract/refusals.ts"
import { type Bodies, overBudget, ownTurn } from "./budgets.ts"
import { contextOf, type NodeSide, nodeSide, type RequestContext } from "./request-context.ts"
import { isObject } from "../../contract/json.ts"
import { readJsonInTurns } from "../../contract/schema/validation.ts"

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
const [REST, AT_ONCE, IN_ALL] = [30, 5, 3_000]

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
 * Takes in the body of an upload in pieces, without holding it whole. @param take stores what is kept of it @throws
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

// Decodes the body of a request: JSON and forms.

const notJson = (why: string) =>
  new Refusal("invalid_schema", `The body is not JSON: ${why}.`, { issues: [{ path: "", message: why }] })

/** The refusal of a text that cannot be parsed, or cannot be stored unchanged. */
function unreadable(issues: Issue[]): Refusal {
  const [first] = issues
  if (first !== undefined && issues.length === 1 && first.path === "") return notJson(first.message)
  return new Refusal(
    "invalid_schema",
    "Parts of the body cannot be stored as they were sent; issues names them by path.",
    { issues },
  )
}

/** @throws Refusal `not_json` for a compressed body */
export function mustBePlain(event: H3Event): void {
  const encoding = event.req.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity"
  if (encoding === "identity") return
  throw new Refusal("not_json", "Send the body uncompressed: this service reads no Content-Encoding.", {
    headers: { "accept-encoding": "identity" },
  })
}

/** @throws Refusal `not_json` unless the body is sent as JSON in UTF-8 */
function mustBeJson(event: H3Event): void {
  mustBePlain(event)
  const [type = "", ...parameters] = (event.req.headers.get("content-type") ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))
  if (type !== "application/json" || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))) {
    throw new Refusal("not_json", "Send the body as Content-Type: application/json, in UTF-8.")
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * Reads the body of a page's form: at most `most` bytes, with a limited number of inputs and length of their names.
 * @throws Refusal `not_json` for another media type, `request_too_large`
 */
export async function readFormBody(event: H3Event, most: number = limits.smallFormBytes): Promise<URLSearchParams> {
  mustBePlain(event)
  const [type = ""] = (event.req.headers.get("content-type") ?? "").split(";")
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded")
    throw new Refusal(
      "not_json",
      "This address accepts only forms of this service's pages; programs use the routes under /api.",
    )
  return formIn(Buffer.from(await bytesOf(event, most)).toString("utf8"))
}

/** Parses a form. Counts the inputs before parsing. @throws Refusal `request_too_large` */
function formIn(text: string): URLSearchParams {
  let inputs = 1
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) inputs += 1
  if (inputs > limits.formInputs)
    throw new Refusal("request_too_large", `The form has more than ${limits.formInputs} inputs. Nothing was stored.`)
  const form = new URLSearchParams(text)
  for (const name of form.keys())
    if (name.length > limits.formInputName)
      throw new Refusal(
        "request_too_large",
        `The name of an input is over ${limits.formInputName} characters. Nothing was stored.`,
      )
  return form
}

/**
 * Reads a body of at most `most` bytes without decoding it. @throws Refusal `not_json` for a compressed body,
 * `request_too_large`
 */
export function readBytes(event: H3Event, most: number): Promise<Uint8Array> {
  mustBePlain(event)
  return bytesOf(event, most)
}

/** Whether the request's headers announce a body. */
export const hasBody = ({ req: { headers } }: H3Event): boolean =>
  headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0

/** A kind of body with a larger limit. The kind is known only after parsing. */
interface Larger {
  readonly most: number
  /** The name of this kind of body, for the refusal. */
  readonly name: string
  isOne(value: unknown): boolean
}

/** Steps 4 to 6 of a write, up to the schema: checks content type and size, parses JSON. */
export async function readJsonBody(event: H3Event, larger?: Larger): Promise<unknown> {
  mustBeJson(event)
  const bytes = await bytesOf(event, larger?.most)
  const value = await jsonIn(bytes)
  if (larger !== undefined && bytes.length > limits.requestBodyBytes && !larger.isOne(value))
    throw new Refusal(
      "request_too_large",
      `The request body is over ${limits.requestBodyBytes} bytes, which only ${larger.name} may be.`,
    )
  return value
}

async function jsonIn(bytes: Uint8Array): Promise<unknown> {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw notJson("it is not valid UTF-8")
  }
  const read = await readJsonInTurns(text)
  if (!read.ok) throw unreadable(read.issues)
  return read.value
}

const sent = new WeakMap<H3Event, Promise<Uint8Array>>()

/** The bytes of the body of a read, which are received once: this thread or a reader thread parses them. */
export function sentToRead(event: H3Event): Promise<Uint8Array> {
  const known = sent.get(event) ?? bytesOf(event, limits.readBodyBytes, true)
  sent.set(event, known)
  return known
}

/**
 * Reads the parameters of a read from its body, as they would be in an address. @throws Refusal `not_json`,
 * `invalid_schema`
 */
export async function sentParameters(event: H3Event): Promise<URLSearchParams> {
  mustBeJson(event)
  const value = await jsonIn(await sentToRead(event))
  if (!isObject(value) || Array.isArray(value)) throw notJson("it is no object")
  return new URLSearchParams(
    Object.entries(value).map(([name, each]) => [name, Array.isArray(each) ? each.join(",") : String(each)]),
  )
}
