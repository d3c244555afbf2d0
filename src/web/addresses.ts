/** Addresses of pages and places in them; which object has which page, the contract says. */
import { isUuid } from "../contract/schema/fields.ts"
import { entryPage, type Linkable, pageOf } from "../contract/objects/objects.ts"
import { type LateText, to } from "./html.ts"

export const pathOf = pageOf

/** A place in a timeline. */
export const entryPath = (threadId: string, entryId: string): string => entryPage(threadId, entryId) ?? "/"

/** A link to an object's page. */
export const address = (kind: Linkable, id: string): LateText => to(pathOf(kind, id) ?? "/")

/** A path with a query of those values that are given. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined | null>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** Which attempts an address names, each once, in its order. */
export const idsIn = ({ searchParams }: URL): string[] => [
  ...new Set(
    searchParams
      .getAll("ids")
      .flatMap((given) => given.split(","))
      .filter(isUuid)
      .map((id) => id.toLowerCase()),
  ),
]
