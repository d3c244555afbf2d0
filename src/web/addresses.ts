/** Where each object has its page. */
import { type Late, to } from "./html.ts"

const pages: Readonly<Record<string, string>> = {
  room: "/rooms",
  thread: "/threads",
  hypothesis: "/records",
  finding: "/records",
  cited_claim: "/records",
  record: "/records",
  experiment: "/experiments",
  plan: "/plans",
  attempt: "/attempts",
  material: "/materials",
  link: "/links",
  finding_link: "/links",
  checkpoint: "/checkpoints",
}

/** The page of an object that a receipt or an activity entry names; undefined where it has none. */
export const pathOf = (kind: string, id: string): string | undefined => (pages[kind] === undefined ? undefined : `${pages[kind]}/${id}`)

/** A place in a timeline. */
export const entryPath = (threadId: string, entryId: string): string => `/threads/${threadId}?entry=${entryId}#entry-${entryId}`

/** A link to an object's page. */
export const address = (kind: string, id: string): Late => to(pathOf(kind, id) ?? "/")

/** A path with a query of those values that are given. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined | null>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null && value !== "") search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}
