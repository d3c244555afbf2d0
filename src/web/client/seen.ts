/** Marks where new entries begin: this browser remembers how far its reader has come in each Thread, and tells nobody. */
const PREFIX = "seen "

const sequences = (list: Element): [HTMLElement, number][] =>
  [...list.querySelectorAll<HTMLElement>(":scope > [data-sequence]")].map((entry) => [entry, Number(entry.dataset.sequence)])

export function markUnseen(): void {
  const list = document.getElementById("timeline")
  if (list === null || document.querySelector("[data-append]") === null) return
  const key = `${PREFIX}${location.pathname}`
  const seen = Number(localStorage.getItem(key) ?? 0)
  const entries = sequences(list)
  const isOwnPost = document.getElementById("main")?.dataset.done !== undefined
  // A first visit has nothing to compare with; what one just wrote is no news.
  if (seen > 0 && !isOwnPost) for (const [entry, sequence] of entries) entry.classList.toggle("fresh", sequence > seen)
  const remember = () => localStorage.setItem(key, String(Math.max(seen, ...sequences(list).map(([, sequence]) => sequence))))
  if (entries.length > 0) remember()
  addEventListener("pagehide", remember)
}
