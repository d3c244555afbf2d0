/** Highlights the paths through the node under the pointer or with the focus. */
function lit(graph: SVGElement, id: string): Set<string> {
  const links = [...graph.querySelectorAll<SVGElement>("[data-from]")].map(
    ({ dataset }) => [dataset.from ?? "", dataset.to ?? ""] as const,
  )
  const found = new Set([id])
  const walk = (start: string, from: 0 | 1, to: 0 | 1) => {
    for (const link of links) {
      if (link[from] !== start || found.has(link[to])) continue
      found.add(link[to])
      walk(link[to], from, to)
    }
  }
  walk(id, 0, 1)
  walk(id, 1, 0)
  return found
}

function trace(graph: SVGElement, id: string | undefined): void {
  graph.classList.toggle("tracing", id !== undefined)
  const on = id === undefined ? new Set<string>() : lit(graph, id)
  for (const node of graph.querySelectorAll<SVGElement>("[data-node]"))
    node.classList.toggle("lit", on.has(node.dataset.node ?? ""))
  for (const link of graph.querySelectorAll<SVGElement>("[data-from]"))
    link
      .querySelector(".edge")
      ?.classList.toggle("lit", on.has(link.dataset.from ?? "") && on.has(link.dataset.to ?? ""))
}

/** Highlights an object of an argument, with its row, in all places where it appears. */
function traceArgument(table: HTMLElement, id: string | undefined): void {
  table.classList.toggle("tracing", id !== undefined)
  for (const node of table.querySelectorAll(".lit")) node.classList.remove("lit")
  if (id === undefined) return
  for (const node of table.querySelectorAll<HTMLElement>(`[data-node="${CSS.escape(id)}"]`)) {
    node.classList.add("lit")
    const row = node.closest("tr")
    row?.classList.add("lit")
    if (node === row) for (const card of row.querySelectorAll("[data-node]")) card.classList.add("lit")
  }
}

/** Traces the object under the pointer or with the focus, in each picture or table of them. */
function tracing<E extends HTMLElement | SVGElement>(
  selector: string,
  traceIn: (within: E, id: string | undefined) => void,
): void {
  for (const within of document.querySelectorAll<E>(selector)) {
    const start = ({ target }: Event) =>
      traceIn(
        within,
        target instanceof Element ? target.closest<HTMLElement | SVGElement>("[data-node]")?.dataset.node : undefined,
      )
    for (const name of ["pointerover", "focusin"]) within.addEventListener(name, start)
    for (const name of ["pointerleave", "focusout"]) within.addEventListener(name, () => traceIn(within, undefined))
  }
}

export function traceGraphs(): void {
  tracing("[data-argument]", traceArgument)
  tracing("[data-graph]", trace)
}
