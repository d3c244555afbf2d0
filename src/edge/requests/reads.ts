/** Answers a read for every interface (HTTP, MCP, pages): checks its parameters and the caller's permission. */
import { basePathOf } from "../../contract/base-path.ts"
import type { Read } from "../../contract/definitions/read.ts"
import { checkParameters } from "../../contract/definitions/check-parameters.ts"
import type { ReadName } from "../../contract/reads/index.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { keyRefusal } from "../../ledger/write/access.ts"
import type { Found } from "../../ledger/reads/reading.ts"
import type { Edge } from "../edge.ts"
import { askPast } from "./past.ts"

export interface ReadCall {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Authenticates the caller, in the snapshot of the answer. @throws Refusal */
  readonly by: () => Actor | null
  readonly signal?: AbortSignal
}

/**
 * Answers a read. The caller is looked up in the snapshot that answers. A read of an earlier moment first waits until the Room
 * is restored.
 * @throws Refusal for the caller, then for the parameters, then the read's own
 */
export function askRead(
  edge: Edge,
  definition: Read<ReadName>,
  { params, query, by, signal }: ReadCall,
): { readonly query: Readonly<Record<string, unknown>>; readonly found: Found | Promise<Found> } {
  const { ledger, ask } = edge.instance
  return ledger.snapshot(() => {
    const actor = by()
    const checked = checkParameters(definition, query)
    const lacking = actor && keyRefusal(definition, actor)
    if (lacking) throw lacking
    const { at, ...now } = checked
    const keeping = () => ({ softwareVersion: edge.softwareVersion, storage: edge.storage?.() })
    const asked = { params, query: now, actor, basePath: basePathOf(edge), baseUrl: edge.baseUrl, keeping, ...(signal && { signal }) }
    if (definition.at && typeof at === "number") return { query: checked, found: askPast(edge, definition, asked, at) }
    return { query: checked, found: ask(definition.name, asked) }
  })
}
