/** Sends a browser on to another page of this service, and nowhere else. */
import { Answer, commonHeaders } from "../edge/answers/answer.ts"
import { basePathOf } from "../contract/base-path.ts"
import type { Visit } from "./visit.ts"

/** @param path below the base path */
export function redirected({ edge }: Pick<Visit, "edge">, path: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return new Answer(null, { status: 303, headers: { ...commonHeaders, location: `${basePathOf(edge)}${path}`, ...headers } })
}

/** On to another service: only one that the operator named, or that it named in turn. */
export const leftOn = (address: string, headers: Readonly<Record<string, string>>): Answer =>
  new Answer(null, { status: 303, headers: { ...commonHeaders, location: address, ...headers } })

/** A path that a query asked to be sent on to: one of this service only. */
export const ownPath = (given: string | null | undefined): string =>
  given !== null && given !== undefined && /^\/(?![/\\])[^\s\\]*$/.test(given) ? given : "/"
