/** Addresses of pages and of places in them. The contract says which object has which page. */
import { isUuid } from "../contract/schema/fields.ts"
import { type ParamsOf, pathTo, type ReadName } from "../contract/reads/index.ts"
import { entryPage, type Linkable, pageOf } from "../contract/objects/objects.ts"
import { type LateText, to } from "./html.ts"

export const pathOf = pageOf

/** Returns the path of an entry in its Thread's timeline. */
export const entryPath = (threadId: string, entryId: string): string => entryPage(threadId, entryId) ?? "/"

/** Returns the address of an object's page, for `href`. */
export const address = (kind: Linkable, id: string): LateText => to(pathOf(kind, id) ?? "/")

/** Adds a query to a path, without parameters that are empty. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined | null>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** Returns the path of a read as programs ask for it. Empty and absent query values are left out. */
export const readPath = <N extends ReadName>(
  name: N,
  ids: ParamsOf<N>,
  query: Readonly<Record<string, string | number | undefined | null>> = {},
): string => withQuery(pathTo(name, ids), query)

/** Returns the ids in the `ids` parameters of a URL, without duplicates, in their order. */
export const idsIn = ({ searchParams }: URL): string[] => [
  ...new Set(
    searchParams
      .getAll("ids")
      .flatMap((ids) => ids.split(","))
      .filter(isUuid)
      .map((id) => id.toLowerCase()),
  ),
]
