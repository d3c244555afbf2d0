/** Fits a list to a page by the size of its rendered items, not of their sources. */
import { limits } from "../contract/limits.ts"
import type { Renderer } from "../renderer/renderer.ts"
import type { Html, Setting } from "./html.ts"
import type { Fitting, Shown } from "./visit.ts"

/** Returns the index after the last item that fits on a page starting at `from`. A page holds at least one item. */
async function endOf(items: readonly Html[], from: number, renderer: Renderer, setting: Setting): Promise<number> {
  let bytes = 0
  for (const [index, item] of items.slice(from).entries()) {
    bytes += Buffer.byteLength(item.write({ ...setting, texts: await renderer.markupOf(item.texts) }))
    if (bytes > limits.pageTextBytes && index > 0) return from + index
  }
  return items.length
}

/** Returns the page with as many items as fit. It starts at the chosen item if that would not fit otherwise. */
export async function paginate({ items, chosen = -1, shown }: Fitting, renderer: Renderer, setting: Setting): Promise<Shown> {
  const until = await endOf(items, 0, renderer, setting)
  return chosen < until ? shown(0, until) : shown(chosen, await endOf(items, chosen, renderer, setting))
}
