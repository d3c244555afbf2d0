/** Decodes the body of a request: JSON and forms. */
import type { H3Event } from "h3"
import { isObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"
import { readJsonInTurns } from "../../contract/schema/strict-json.ts"
import { bytesOf } from "./receiving.ts"

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
