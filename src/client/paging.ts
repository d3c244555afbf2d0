/** Iterates over lists page by page, with any kind of cursor. */
import type { Read } from "../contract/definitions/read.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { UnexpectedAnswer } from "./errors.ts"

/** The members of every page that paging uses: offsets in the Library, cursors elsewhere. */
export interface AnyPage {
  readonly items: readonly unknown[]
  readonly hasMore: boolean
  readonly nextCursor?: string | number | null
  readonly nextOffset?: number | null
}

/** Yields pages until there are no more. The input's own cursor is the start. */
export async function* walk<Page extends AnyPage>(read: Read, input: Input, ask: (input: Input) => Promise<Page>): AsyncGenerator<Page> {
  const name = Object.hasOwn(read.query.entries, "offset") ? "offset" : "after"
  for (let cursor = input[name]; ; ) {
    const page = await ask(cursor === undefined ? input : { ...input, [name]: cursor })
    yield page
    if (!page.hasMore) return
    const next = page.nextOffset ?? page.nextCursor
    // Without a cursor, or with the same one, the loop would never end.
    if (next === undefined || next === null || next === cursor)
      throw new UnexpectedAnswer(200, `A page of ${read.name} has more, but no cursor for it`, "")
    cursor = next
  }
}
