/** The text that a tool answers with: an answer, cut to the bytes there are for it, or a refusal with its remedy. */
import { isKeyOf } from "../contract/each.ts"
import { limits } from "../contract/limits.ts"
import { refusals } from "../contract/refusals/refusal.ts"
import { inDigits } from "../contract/text.ts"
import type { Answered } from "./door.ts"
import { fittedJson, fittedText } from "./fitting.ts"

export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
}

/** What there is for an answer. */
export interface Space {
  readonly bytes: number
  /** How an agent gets what has no room in it, as a sentence. */
  readonly rest: string
}

export const toolError = (text: string): ToolAnswer => ({ text, isError: true })

/** The remedy for a refusal, from the contract; a newer service may have more codes. */
function remedyOf(code: string): string {
  return isKeyOf(refusals, code) ? `${refusals[code].remedy}\n` : ""
}

/** Reads a refusal of the service; null for another text, such as an answer of a proxy. */
function refusalIn(text: string): { readonly error: string; readonly refusal: string } | null {
  try {
    const { error, refusal }: { error?: unknown; refusal?: unknown } = JSON.parse(text)
    return typeof error === "string" && typeof refusal === "string" ? { error, refusal } : null
  } catch {
    return null
  }
}

/** Whether an answer of the service is one, and has no room. */
export const isTooLong = ({ status, text }: Answered, { bytes }: Space): boolean => status < 400 && Buffer.byteLength(text) > bytes

/** @param more what else a refused caller should know */
export function toolAnswer(answered: Answered, space: Space, more = ""): ToolAnswer {
  const { status, text } = answered
  if (status >= 400) {
    const refused = refusalIn(text)
    if (refused === null) return toolError(`The service answered with status ${status}, and not in its own words: ${text.slice(0, 200)}`)
    return toolError(`Refused: ${refused.error} (${refused.refusal}, ${status})\n${remedyOf(refused.refusal)}${more}${text}`)
  }
  if (!isTooLong(answered, space)) return { text, isError: false }
  const fitted = text.startsWith("{") ? fittedJson(text, space.bytes, space.rest) : fittedText(text, space.bytes, space.rest)
  return fitted === undefined
    ? toolError(
        `The answer would have ${inDigits(Buffer.byteLength(text))} bytes; there are ${inDigits(space.bytes)} for it. ${space.rest}`,
      )
    : { text: fitted, isError: false }
}

/** The bytes that an agent asks for. @param asked what it gave, of whatever kind */
export const bytesOf = (asked: unknown): number =>
  Math.min(limits.toolAnswerMost, typeof asked === "number" && asked >= limits.toolAnswerBytes ? asked : limits.toolAnswerBytes)
