/** Redirects to another page of this service, or to the identity provider. */
import { Answer, commonHeaders } from "../edge/answers/answer.ts"
import { basePathOf } from "../contract/base-path.ts"
import { withQuery } from "./addresses.ts"
import type { Visit } from "./visit.ts"

/** Redirects to another service: only to an address that the operator set, or that such a service gave. */
export const redirectedAway = (address: string, headers: Readonly<Record<string, string>>): Answer =>
  new Answer(null, { status: 303, headers: { ...commonHeaders, location: address, ...headers } })

/** Redirects to a page of this service. @param path below the base path */
export const redirected = (
  { edge }: Pick<Visit, "edge">,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => redirectedAway(`${basePathOf(edge)}${path}`, headers)

/** Redirects to the sign-in page, and from there back. @param next the path to come back to */
export const toSignIn = (
  visit: Pick<Visit, "edge" | "url">,
  next = `${visit.url.pathname}${visit.url.search}`,
): Answer => redirected(visit, withQuery("/sign-in", { next }))

/** Returns the path that a query asks to redirect to if it is a path of this service, else `/`. */
export const ownPath = (path: string | null | undefined): string =>
  path && /^\/(?![/\\])[^\s\\]*$/.test(path) ? path : "/"
