/** Reads the body of a request, up to a limit, and decodes JSON and forms. */
import type { H3Event } from "h3"
import { limits } from "../../contract/limits.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"
import { readJson } from "../../contract/schema/strict-json.ts"
import type { Bodies } from "./bodies.ts"
import { BodyBuffer } from "./body-buffer.ts"
import { ownTurn } from "./turns.ts"
import { type NodeSide, nodeSide, type RequestContext, contextOf } from "./request-context.ts"

/** A body up to this many bytes costs no more to parse than any other request. */
const SMALL = 64 * 1024
/** Pieces read before other requests get a turn: a piece of three bytes costs as much as one of 64 kB. */
const PIECES = 1_000

/** The refusal of a body over the limit. */
export const tooLarge = (most: number): Refusal =>
  new Refusal("request_too_large", `The request body is over ${most} bytes; it was not read to its end.`, {
    headers: { connection: "close" },
  })

const notJson = (why: string) => new Refusal("invalid_schema", `The body is not JSON: ${why}.`, { issues: [{ path: "", message: why }] })

/** The refusal of a text that cannot be parsed, or cannot be stored unchanged. */
function unreadable(issues: Issue[]): Refusal {
  const [first] = issues
  if (first !== undefined && issues.length === 1 && first.path === "") return notJson(first.message)
  return new Refusal("invalid_schema", "Parts of the body cannot be stored as they were sent; issues names them by path.", { issues })
}

/** @throws Refusal `not_json` for a compressed body */
function mustBePlain(event: H3Event): void {
  const encoding = event.req.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity"
  if (encoding === "identity") return
  throw new Refusal("not_json", "Send the body uncompressed: this service reads no Content-Encoding.", {
    headers: { "accept-encoding": "identity" },
  })
}

/** @throws Refusal `not_json` unless the body is sent as JSON in UTF-8 */
function mustBeJson(event: H3Event): void {
  mustBePlain(event)
  const [type = "", ...parameters] = (event.req.headers.get("content-type") ?? "").split(";").map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))
  if (type !== "application/json" || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))) {
    throw new Refusal("not_json", "Send the body as Content-Type: application/json, in UTF-8.")
  }
}

/** Reads the bytes of the body. @throws Refusal `request_too_large` as soon as the limit is passed, `temporarily_unavailable` if the budget is used up */
async function bytesOf(event: H3Event, atMost: number = limits.requestBodyBytes): Promise<Uint8Array> {
  const node = nodeSide(event)
  const caller = node === undefined ? null : callerOf(contextOf(event))
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
      key: caller ?? contextOf(event).address,
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

/** The authenticated caller; null before authentication. */
const callerOf = ({ credentialId, keyId, userId }: RequestContext): string | null => credentialId ?? keyId ?? userId

interface Receiving {
  /** The most bytes that the body may have. */
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
    req.on("error", () => reject(new Refusal("request_timeout", "The request did not arrive completely.", { retryAfter: 1 })))
  })
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
    throw new Refusal("not_json", "This address accepts only forms of this service's pages; programs use the routes under /api.")
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
      throw new Refusal("request_too_large", `The name of an input is over ${limits.formInputName} characters. Nothing was stored.`)
  return form
}

/** Reads a body of at most `most` bytes without decoding it. @throws Refusal `not_json` for a compressed body, `request_too_large` */
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
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw notJson("it is not valid UTF-8")
  }
  const read = readJson(text)
  if (!read.ok) throw unreadable(read.issues)
  if (larger !== undefined && bytes.length > limits.requestBodyBytes && !larger.isOne(read.value))
    throw new Refusal("request_too_large", `The request body is over ${limits.requestBodyBytes} bytes, which only ${larger.name} may be.`)
  return read.value
}
