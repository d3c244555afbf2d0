/** Sends a browser on to another page of this service, and nowhere else. */
import { Answer, commonHeaders } from "../edge/answer.ts"
import { basePathOf } from "../contract/base-path.ts"
import type { Visit } from "./visit.ts"

/** @param path below the base path */
export function redirected({ edge }: Pick<Visit, "edge">, path: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return new Answer(null, { status: 303, headers: { ...commonHeaders, location: `${basePathOf(edge)}${path}`, ...headers } })
}

/** A path that a query asked to be sent on to: one of this service only. */
export const ownPath = (given: string | null | undefined): string =>
  given !== null && given !== undefined && /^\/(?![/\\])[^\s\\]*$/.test(given) ? given : "/"
