/** Marks where new entries begin: this browser remembers how far its reader has come in each Thread, and tells nobody. */
const PREFIX = "seen "

const sequences = (list: Element): [HTMLElement, number][] =>
  [...list.querySelectorAll<HTMLElement>(":scope > [data-sequence]")].map((entry) => [entry, Number(entry.dataset.sequence)])

const keyOf = (pathname: string): string => `${PREFIX}${pathname}`
const seenOf = (pathname: string): number => Number(localStorage.getItem(keyOf(pathname)) ?? 0)

/** A link to a Thread that was read before leads to the first entry that is new to this reader. */
export function leadToUnseen(): void {
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null
    if (link === null || link.origin !== location.origin || link.search !== "" || link.hash !== "") return
    const seen = seenOf(link.pathname)
    if (seen > 0) link.search = `?seen=${seen}`
  })
}

export function markUnseen(): void {
  const list = document.getElementById("timeline")
  if (list === null || document.querySelector("[data-append]") === null) return
  const seen = seenOf(location.pathname)
  const entries = sequences(list)
  const [, earliest] = entries[0] ?? []
  // Opened by its bare address, and what is new begins further back.
  if (seen > 0 && location.search === "" && location.hash === "" && earliest !== undefined && earliest > seen + 1) {
    location.replace(`?seen=${seen}`)
    return
  }
  const isOwnPost = document.getElementById("main")?.dataset.done !== undefined
  // A first visit has nothing to compare with; what one just wrote is no news.
  if (seen > 0 && !isOwnPost) {
    const fresh = entries.flatMap(([entry, sequence]) => (sequence > seen ? [entry] : []))
    for (const entry of fresh) entry.classList.add("fresh")
  }
  const remember = () =>
    localStorage.setItem(keyOf(location.pathname), String(Math.max(seen, ...sequences(list).map(([, sequence]) => sequence))))
  if (entries.length > 0) remember()
  addEventListener("pagehide", remember)
}
