/** Keyboard shortcuts: `/` searches, `j` and `k` step through entries, `?` lists all of them. */
import { openPalette } from "./palette.ts"
import { replyTo } from "./writing.ts"

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function step(by: 1 | -1): void {
  const entries = [...document.querySelectorAll<HTMLElement>("[data-entry]")]
  const at = entries.findIndex((entry) => entry.contains(document.activeElement))
  const next =
    entries[at === -1 ? (by === 1 ? 0 : entries.length - 1) : Math.min(entries.length - 1, Math.max(0, at + by))]
  if (next === undefined) return
  const focused = next.querySelector<HTMLElement>("a.permalink, a:not(.person), button") ?? next
  focused.focus({ preventScroll: true })
  next.scrollIntoView({ block: "nearest" })
}

/** Opens the reply form of the entry that has the focus or the selection. */
function reply(): void {
  const selected = getSelection()?.anchorNode
  const at = selected instanceof Element ? selected : selected?.parentElement
  const entry = document.activeElement?.closest("[data-entry]") ?? at?.closest("[data-entry]")
  if (entry !== null && entry !== undefined) replyTo(entry)
}

export function listenForKeys(): void {
  const keys = document.querySelector<HTMLDialogElement>("dialog#key-list")
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault()
      openPalette()
      return
    }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && event.target instanceof HTMLTextAreaElement) {
      event.target.form?.requestSubmit()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || keys?.open === true) return
    const acts: Record<string, () => void> = {
      "/": () => document.getElementById("search")?.focus(),
      j: () => step(1),
      k: () => step(-1),
      r: reply,
      c: () => document.getElementById("text-thread")?.focus(),
      g: () => document.querySelector<HTMLAnchorElement>("a.brand")?.click(),
      "?": () => keys?.showModal(),
    }
    const act = acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  })
}
