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

/** Traces the object under the pointer or with the focus, in each argument. */
export function traceArguments(): void {
  for (const table of document.querySelectorAll<HTMLElement>("[data-argument]")) {
    const start = ({ target }: Event) =>
      traceArgument(
        table,
        target instanceof Element ? target.closest<HTMLElement>("[data-node]")?.dataset.node : undefined,
      )
    for (const name of ["pointerover", "focusin"]) table.addEventListener(name, start)
    for (const name of ["pointerleave", "focusout"]) table.addEventListener(name, () => traceArgument(table, undefined))
  }
}
