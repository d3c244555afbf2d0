/** The text of a tool's answer: the service's answer, cut to fit, or a refusal with its remedy. */
import { isKeyOf } from "../contract/each.ts"
import { limits } from "../contract/limits.ts"
import { refusals } from "../contract/refusals/refusal.ts"
import { inDigits } from "../contract/text.ts"
import type { ServiceReply } from "./door.ts"
import { fittedJson, fittedText } from "./fitting.ts"

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
export const isTooLong = ({ status, text }: ServiceReply, { bytes }: Space): boolean => status < 400 && Buffer.byteLength(text) > bytes

/** Makes a tool's answer from a response. @param more what else to tell a refused caller */
export function toolAnswer(reply: ServiceReply, space: Space, more = ""): ToolAnswer {
  const { status, text } = reply
  if (status >= 400) {
    const refused = refusalIn(text)
    if (refused === null) return toolError(`The service reply with status ${status} and no refusal of its own: ${text.slice(0, 200)}`)
    return toolError(`Refused: ${refused.error} (${refused.refusal}, ${status})\n${remedyOf(refused.refusal)}${more}${text}`)
  }
  if (!isTooLong(reply, space)) return { text, isError: false }
  const fitted = text.startsWith("{") ? fittedJson(text, space.bytes, space.rest) : fittedText(text, space.bytes, space.rest)
  return fitted === undefined
    ? toolError(`The answer has ${inDigits(Buffer.byteLength(text))} bytes, over the ${inDigits(space.bytes)} available. ${space.rest}`)
    : { text: fitted, isError: false }
}

/** The size limit that an agent asks for, within the limits of the contract. */
export const bytesOf = (requested: unknown): number =>
  Math.min(limits.toolAnswerMost, typeof requested === "number" && requested >= limits.toolAnswerBytes ? requested : limits.toolAnswerBytes)
