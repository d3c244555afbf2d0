/** Marks new entries. This browser remembers how far its reader has read in each Thread; the service does not know. */
const PREFIX = "seen "

const sequences = (list: Element): [HTMLElement, number][] =>
  [...list.querySelectorAll<HTMLElement>(":scope > [data-sequence]")].map((entry) => [
    entry,
    Number(entry.dataset.sequence),
  ])

const keyOf = (pathname: string): string => `${PREFIX}${pathname}`
const seenOf = (pathname: string): number => Number(localStorage.getItem(keyOf(pathname)) ?? 0)

/** Makes links to a Thread that was read before open at its first new entry. */
export function linkToUnseen(): void {
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
  // The Thread was opened without a position, and its new entries begin on an earlier page.
  if (seen > 0 && location.search === "" && location.hash === "" && earliest !== undefined && earliest > seen + 1) {
    location.replace(`?seen=${seen}`)
    return
  }
  const isOwnPost = document.getElementById("main")?.dataset.done !== undefined
  // Nothing is marked on a first visit, or right after the reader's own post.
  if (seen > 0 && !isOwnPost) {
    const fresh = entries.flatMap(([entry, sequence]) => (sequence > seen ? [entry] : []))
    for (const entry of fresh) entry.classList.add("fresh")
  }
  const remember = () =>
    localStorage.setItem(
      keyOf(location.pathname),
      String(Math.max(seen, ...sequences(list).map(([, sequence]) => sequence))),
    )
  if (entries.length > 0) remember()
  addEventListener("pagehide", remember)
}
