/** How much of a list a page has room for: by what it becomes, not by how much was written. */
import { limits } from "../contract/limits.ts"
import type { Renderer } from "../renderer/renderer.ts"
import type { Html, Setting } from "./html.ts"
import type { Fitting, Shown } from "./visit.ts"

/** Where the items that a page has room for end, when they begin at `from`: always one at least, where there is one. */
async function endOf(items: readonly Html[], from: number, renderer: Renderer, setting: Setting): Promise<number> {
  let bytes = 0
  for (const [index, item] of items.slice(from).entries()) {
    bytes += Buffer.byteLength(item.write({ ...setting, texts: await renderer.markupOf(item.texts) }))
    if (bytes > limits.pageTextBytes && index > 0) return from + index
  }
  return items.length
}

/** The page with as many of its items as it has room for; it begins with the chosen one where that would not be among them. */
export async function paginate({ items, chosen = -1, shown }: Fitting, renderer: Renderer, setting: Setting): Promise<Shown> {
  const until = await endOf(items, 0, renderer, setting)
  return chosen < until ? shown(0, until) : shown(chosen, await endOf(items, chosen, renderer, setting))
}
