/** Walks through lists, page by page, whatever the kind of their cursor. */
import type { Read } from "../contract/definitions/read.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { UnexpectedAnswer } from "./errors.ts"

/** What every page has that matters here: lists of the Library count, all others name a cursor. */
export interface AnyPage {
  readonly items: readonly unknown[]
  readonly hasMore: boolean
  readonly nextCursor?: string | number | null
  readonly nextOffset?: number | null
}

/** Yields pages while there are more. The caller's own `after` is where it starts. */
export async function* walk<Page extends AnyPage>(read: Read, input: Input, ask: (input: Input) => Promise<Page>): AsyncGenerator<Page> {
  const name = Object.hasOwn(read.query.entries, "offset") ? "offset" : "after"
  for (let place = input[name]; ; ) {
    const page = await ask(place === undefined ? input : { ...input, [name]: place })
    yield page
    if (!page.hasMore) return
    const next = page.nextOffset ?? page.nextCursor
    // Going on from nowhere, or from the same place, would never end.
    if (next === undefined || next === null || next === place)
      throw new UnexpectedAnswer(200, `A page of ${read.name} has more but does not say where`, "")
    place = next
  }
}
