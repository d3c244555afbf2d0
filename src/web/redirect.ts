/** Redirects to another page of this service, or to the identity provider. */
import { Answer, commonHeaders } from "../edge/answers/answer.ts"
import { basePathOf } from "../contract/base-path.ts"
import type { Visit } from "./visit.ts"

/** Redirects to a page of this service. @param path below the base path */
export function redirected({ edge }: Pick<Visit, "edge">, path: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return new Answer(null, { status: 303, headers: { ...commonHeaders, location: `${basePathOf(edge)}${path}`, ...headers } })
}

/** Redirects to another service: only to an address that the operator set, or that such a service gave. */
export const redirectedAway = (address: string, headers: Readonly<Record<string, string>>): Answer =>
  new Answer(null, { status: 303, headers: { ...commonHeaders, location: address, ...headers } })

/** Returns the path that a query asks to redirect to if it is a path of this service, else `/`. */
export const ownPath = (path: string | null | undefined): string => (path && /^\/(?![/\\])[^\s\\]*$/.test(path) ? path : "/")
