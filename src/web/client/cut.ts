/**
 * Marks what is wider than its place and scrolls sideways, says how many columns of a table do not fit, and marks
 * pictures of which only the beginning is shown.
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

let notes = 0

/** Says at the end of a table, and to screen readers when they reach it, that it goes on. */
function describe(box: HTMLElement): void {
  const known = box.querySelector<HTMLElement>(":scope > .cut-note")
  if (!("cut" in box.dataset)) {
    known?.remove()
    box.removeAttribute("aria-describedby")
    return
  }
  const [beyond, all] = columns(box)
  const text =
    beyond === 0 ? "Scroll sideways to see all of it" : `${beyond} of ${all} columns don’t fit: scroll sideways`
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
    if (target.classList.contains("table")) describe(target)
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
