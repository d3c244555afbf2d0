/**
 * What tools ask of the service, and the text of a tool's answer: the service's answer, cut to fit, or a refusal with
 * its remedy. A cut answer says what was left out and how to get it.
 */
import { isKeyOf } from "../contract/typed.ts"
import { limits } from "../contract/limits.ts"
import { refusals } from "../contract/refusals.ts"
import { inDigits, shortened } from "../contract/text.ts"
import { isObject } from "../contract/json.ts"

// How tools reach the service: through its HTTP routes, inside its process or from another program.

export interface ServiceRequest {
  readonly method: "GET" | "POST"
  /** Path and query, without the base URL. */
  readonly path: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** The type of the body; JSON if left out. */
  readonly mediaType?: string
  /** Whether to send the bearer token. Only agent routes take it. */
  readonly asBearer: boolean
}

/** The response as text: an answer, or a refusal in its envelope. */
export interface ServiceReply {
  readonly status: number
  readonly text: string
}

export interface Picture {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
}

export interface ServiceCaller {
  /** Scheme, host and path of the service, without a trailing slash. */
  readonly baseUrl: string
  readonly bearer: Bearer
  /**
   * Reads a picture file on the agent's machine; left out if this program does not run there. @throws TypeError if it
   * is not a picture
   */
  picture?(path: string): Promise<Picture>
  /** @throws NoAnswer */
  ask(request: ServiceRequest, signal?: AbortSignal): Promise<ServiceReply>
}

/** The kind of token that an agent has: a Room credential, a personal key, or none, with which it can only read. */
export type Bearer = "credential" | "key" | "none"

/** No complete response arrived: it is unknown whether a write was stored. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}

type Form = readonly [characters: number, items: number]
/** The most characters of a text and items of a list, from longer to shorter forms of an answer. */
const forms: readonly Form[] = [
  [2_000, 50],
  [1_000, 30],
  [400, 20],
  [200, 10],
  [100, 5],
  [60, 2],
]
const NAMED = 12

interface Cut {
  /** The cut lists by path, with their full lengths. */
  readonly lists: Map<string, number>
  texts: boolean
}

function cutTo(value: unknown, form: Form, cut: Cut, at = ""): unknown {
  const [characters, items] = form
  if (typeof value === "string") {
    if (value.length <= characters) return value
    cut.texts = true
    return shortened(value, characters)
  }
  if (Array.isArray(value)) {
    if (value.length > items) cut.lists.set(at, value.length)
    return value.slice(0, items).map((item) => cutTo(item, form, cut, `${at}/n`))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, cutTo(inner, form, cut, `${at}/${name}`)]),
  )
}

/**
 * Cuts a JSON text to at most `bytes` bytes by shortening its texts and lists; `cut` says which.
 * @param how a sentence that says how to get the rest
 * @returns undefined if even the shortest form is too long
 */
function fittedJson(text: string, bytes: number, how: string): string | undefined {
  const whole: unknown = JSON.parse(text)
  if (!isObject(whole) || Array.isArray(whole)) return undefined
  for (const form of forms) {
    const cut: Cut = { lists: new Map(), texts: false }
    const [characters, items] = form
    const value = cutTo(whole, form, cut)
    const named = [...cut.lists].slice(0, NAMED).map(([place, length]) => `${items} of ${length} in ${place}`)
    const texts = cut.texts ? [`texts over ${inDigits(characters)} characters`] : []
    const note = `Cut from ${inDigits(Buffer.byteLength(text))} bytes: ${[...named, ...texts].join("; ")}. ${how}`
    const answer = JSON.stringify({ ...(isObject(value) && value), cut: note })
    if (Buffer.byteLength(answer) <= bytes) return answer
  }
  return undefined
}

/** Cuts a text to at most `bytes` bytes, at the end of a line. */
function fittedText(text: string, bytes: number, how: string): string {
  const note = `\n[Cut from ${inDigits(Buffer.byteLength(text))} bytes. ${how}]\n`
  // A character cut in two is dropped with its line.
  const start = Buffer.from(text)
    .subarray(0, bytes - Buffer.byteLength(note))
    .toString()
  return `${start.slice(0, start.lastIndexOf("\n") + 1)}${note}`
}

export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
}

export interface Space {
  readonly bytes: number
  /** A sentence that says how to get what does not fit. */
  readonly rest: string
}

export const toolError = (text: string): ToolAnswer => ({ text, isError: true })

/** The contract's remedy for a refusal; empty for a code of a newer service. */
function remedyOf(code: string): string {
  return isKeyOf(refusals, code) ? `${refusals[code].remedy}\n` : ""
}

/** Parses a refusal; null for other text, such as a proxy's error page. */
function refusalIn(text: string): { readonly error: string; readonly refusal: string } | null {
  try {
    const { error, refusal }: { error?: unknown; refusal?: unknown } = JSON.parse(text)
    return typeof error === "string" && typeof refusal === "string" ? { error, refusal } : null
  } catch {
    return null
  }
}

/** Whether an answer does not fit. A refusal always fits. */
export const isTooLong = ({ status, text }: ServiceReply, { bytes }: Space): boolean =>
  status < 400 && Buffer.byteLength(text) > bytes

/** Makes a tool's answer from a response. @param more what else to tell a refused caller */
export function toolAnswer(reply: ServiceReply, space: Space, more = ""): ToolAnswer {
  const { status, text } = reply
  if (status >= 400) {
    const refused = refusalIn(text)
    if (refused === null)
      return toolError(`The service reply with status ${status} and no refusal of its own: ${text.slice(0, 200)}`)
    return toolError(
      `Refused: ${refused.error} (${refused.refusal}, ${status})\n${remedyOf(refused.refusal)}${more}${text}`,
    )
  }
  if (!isTooLong(reply, space)) return { text, isError: false }
  const fitted = text.startsWith("{")
    ? fittedJson(text, space.bytes, space.rest)
    : fittedText(text, space.bytes, space.rest)
  return fitted === undefined
    ? toolError(
        `The answer has ${inDigits(Buffer.byteLength(text))} bytes, ` +
          `over the ${inDigits(space.bytes)} available. ${space.rest}`,
      )
    : { text: fitted, isError: false }
}

/** The size limit that an agent asks for, within the limits of the contract. */
export const bytesOf = (requested: unknown): number =>
  Math.min(
    limits.toolAnswerMost,
    typeof requested === "number" && requested >= limits.toolAnswerBytes ? requested : limits.toolAnswerBytes,
  )
