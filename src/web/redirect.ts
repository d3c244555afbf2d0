/** Redirects to another page of this service, or to the identity provider. */
import { Answer, commonHeaders } from "../edge/answers/answer.ts"
import { basePathOf } from "../contract/service.ts"
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

/**
 * Returns the page that a visitor comes from: the page of this request, or the own page whose form was sent. That of
 * another site, or none, is the first page.
 */
export function pageOfVisit({ edge, event, url }: Pick<Visit, "edge" | "event" | "url">): string {
  if (event.req.method === "GET" && !url.pathname.startsWith("/web/")) return `${url.pathname}${url.search}`
  const sender = event.req.headers.get("referer") ?? ""
  if (!sender.startsWith(`${edge.baseUrl}/`)) return "/"
  const { pathname, search } = new URL(sender)
  return ownPath(`${pathname.slice(basePathOf(edge).length)}${search}`)
}

/** The address of the sign-in page, which leads back to the page that the visitor comes from. */
export const signInPath = (visit: Pick<Visit, "edge" | "event" | "url">): string => {
  const back = pageOfVisit(visit)
  return withQuery("/sign-in", { next: back.startsWith("/sign-in") ? "/" : back })
}

/** Redirects to the sign-in page, and from there back. @param next the path to come back to */
export const toSignIn = (
  visit: Pick<Visit, "edge" | "url">,
  next = `${visit.url.pathname}${visit.url.search}`,
): Answer => redirected(visit, withQuery("/sign-in", { next }))

/** Returns the path that a query asks to redirect to if it is a path of this service, else `/`. */
export const ownPath = (path: string | null | undefined): string =>
  path && /^\/(?![/\\])[^\s\\]*$/.test(path) ? path : "/"
