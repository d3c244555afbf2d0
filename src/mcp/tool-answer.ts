/** The text that a tool answers with: an answer, cut to a limit, or a refusal with its remedy. */
import { limits } from "../contract/limits.ts"
import { refusals } from "../contract/refusals/refusal.ts"
import type { Answered } from "./door.ts"
import { isKeyOf } from "../contract/each.ts"

export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
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

/** @param less how an agent can ask for a shorter answer */
export function toolAnswer({ status, text }: Answered, less: string, more = ""): ToolAnswer {
  if (status >= 400) {
    const refused = refusalIn(text)
    if (refused === null) return toolError(`The service answered with status ${status}, and not in its own words: ${text.slice(0, 200)}`)
    return toolError(`Refused: ${refused.error} (${refused.refusal}, ${status})\n${remedyOf(refused.refusal)}${more}${text}`)
  }
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.toolAnswerBytes)
    return toolError(`The answer would have ${bytes} bytes; a tool answers ${limits.toolAnswerBytes} at most. ${less}`)
  return { text, isError: false }
}
