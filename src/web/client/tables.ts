/**
 * Tables: marks what is wider or longer than its place and scrolls, says how many columns and rows of a table do not
 * fit, and marks pictures of which only the beginning is shown.
 */
import { made } from "./page.ts"

const SCROLLING = ".table, pre, .formula, .rail ul, .first > * > .picture"

/** How many columns of a table end beyond the right edge, and how many it has. */
function columns(box: HTMLElement): readonly [beyond: number, all: number] {
  const rows = [...box.querySelectorAll("tr")]
  const longest = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const cells = [...(rows.find((row) => row.cells.length === longest)?.cells ?? [])]
  const edge = box.getBoundingClientRect().left - box.scrollLeft + box.clientWidth
  return [cells.filter((cell) => cell.getBoundingClientRect().right > edge + 1).length, longest]
}

/** How many rows of a table end below its lower edge, and how many it has. */
function rows(box: HTMLElement): readonly [beyond: number, all: number] {
  const all = [...box.querySelectorAll("tbody tr")]
  const edge = box.getBoundingClientRect().top - box.scrollTop + box.clientHeight
  return [all.filter((row) => row.getBoundingClientRect().bottom > edge + 1).length, all.length]
}

let notes = 0

/** Says at the end of a table, and to screen readers when they reach it, that it goes on. */
function describe(box: HTMLElement): void {
  const known = box.querySelector<HTMLElement>(":scope > .cut-note")
  if (!("cut" in box.dataset || "long" in box.dataset)) {
    known?.remove()
    box.removeAttribute("aria-describedby")
    return
  }
  const [across, columnsInAll] = columns(box)
  const [down, rowsInAll] = rows(box)
  const hints = [
    "cut" in box.dataset &&
      (across === 0
        ? "Scroll sideways to see all of it"
        : `${across} of ${columnsInAll} columns don’t fit: scroll sideways`),
    "long" in box.dataset && `${down} of ${rowsInAll} rows don’t fit: scroll down`,
  ]
  const text = hints.filter((each) => each !== false).join(" · ")
  const note = known ?? made("p", { className: "cut-note", id: `cut-${(notes += 1)}` })
  if (note.textContent !== text) note.textContent = text
  if (known === null) box.append(note)
  box.setAttribute("aria-describedby", note.id)
}

const sizes = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    if (!(target instanceof HTMLElement)) continue
    if (target.classList.contains("picture")) {
      target.toggleAttribute("data-long", target.scrollHeight > target.clientHeight + 1)
      continue
    }
    target.toggleAttribute("data-cut", target.scrollWidth > target.clientWidth + 1)
    if (!target.classList.contains("table")) continue
    // The note itself takes room in a table that scrolls down.
    const note = target.querySelector<HTMLElement>(":scope > .cut-note")?.offsetHeight ?? 0
    target.toggleAttribute("data-long", target.scrollHeight - note > target.clientHeight + 1)
    describe(target)
  }
})

/** Marks what is cut now, when its size changes, as when a fold opens, and in parts that arrive later. */
export function markCut(): void {
  const known = new WeakSet<Element>()
  const look = () => {
    for (const box of document.querySelectorAll(SCROLLING)) {
      if (known.has(box)) continue
      known.add(box)
      sizes.observe(box)
    }
  }
  look()
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
}

/** Shows the number of ticked rows on the button. A click with Shift ticks all rows from the last one to this one. */
export function countTicks(): void {
  const boxesOf = (form: Element) => [...form.querySelectorAll<HTMLInputElement>('tbody input[type="checkbox"]')]
  const showCount = (form: Element) => {
    const button = form.querySelector<HTMLElement>("[data-ticked]")
    const ticked = boxesOf(form).filter(({ checked }) => checked).length
    if (button !== null)
      button.textContent = ticked === 0 ? `${button.dataset.ticked} selected` : `${button.dataset.ticked} ${ticked}`
  }
  let last: HTMLInputElement | undefined
  document.addEventListener("click", (event) => {
    const box = event.target
    const form = box instanceof HTMLInputElement && box.type === "checkbox" ? box.closest("[data-ticks]") : null
    if (form === null || !(box instanceof HTMLInputElement)) return
    const boxes = boxesOf(form)
    const [from, to] = [last === undefined ? -1 : boxes.indexOf(last), boxes.indexOf(box)]
    if (event.shiftKey && from >= 0 && to >= 0)
      for (const each of boxes.slice(Math.min(from, to), Math.max(from, to) + 1)) each.checked = box.checked
    last = box
    showCount(form)
  })
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("[data-ticks]")) showCount(form)
  })
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
