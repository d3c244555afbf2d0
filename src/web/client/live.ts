/**
 * Shows what lands in the page's Room as it lands: listens to its events, then asks for the page again and takes over
 * what changed. New entries are added at the end and marked; nothing above the reader moves; a form in use is left alone.
 */
import { takeTurns } from "./turn.ts"

/** Milliseconds after which a tab that does not listen looks by itself: when no other tab listens to its Room, and when one that did says nothing any more. */
const UNHELD = 5_000
const UNHEARD = 30_000
/** Milliseconds between two times that a listening tab tells the others that it still listens. */
const STILL = 15_000
/** Why a request was ended that nothing was wrong with. */
const TURNED = "another tab's turn"
const LONGEST_PAUSE = 30_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

function connection(said: string): void {
  const status = document.getElementById("connection")
  if (status !== null && status.textContent !== said) status.textContent = said
}

/** Whether somebody is at work in a part of the page. */
const inUse = (part: Element): boolean => {
  const active = document.activeElement
  if (active !== null && active !== document.body && part.contains(active)) return true
  if (part.querySelector("[data-ticks] tbody :checked") !== null) return true
  const selected = getSelection()
  return selected !== null && !selected.isCollapsed && selected.anchorNode !== null && part.contains(selected.anchorNode)
}

/** The link to an entry's replies: its count, or the link itself where the first reply came. */
function takeReplies(known: Element, item: Element): void {
  const [before, after] = [known.querySelector("[data-replies]"), item.querySelector("[data-replies]")]
  if (after === null) return
  if (before !== null) before.textContent = after.textContent
  else known.querySelector(".after")?.prepend(document.importNode(after, true))
}

/** Says that entries arrived below what the reader sees, with the way to the first of them. */
function announce(list: Element, added: number): void {
  const news = document.getElementById("arrived")
  const first = list.querySelector("[data-arrived]") ?? list.children[list.children.length - added]
  if (news === null || first === undefined || first.getBoundingClientRect().top < innerHeight) return
  const link = document.createElement("a")
  const arrived = list.querySelectorAll<HTMLElement>("[data-arrived]")
  link.href = `#${first.id}`
  link.textContent = `${arrived.length} new ${arrived.length === 1 ? "entry" : "entries"} ↓`
  link.addEventListener("click", () => {
    for (const entry of arrived) delete entry.dataset.arrived
    news.replaceChildren()
  })
  news.replaceChildren(link)
}

/** Takes over the entries of a list that are not there yet. */
function append(list: Element, fresh: Element): number {
  let added = 0
  for (const item of [...fresh.children]) {
    const known = item.id === "" ? null : document.getElementById(item.id)
    if (known !== null) {
      takeReplies(known, item)
      continue
    }
    const taken = document.importNode(item, true)
    taken.classList.add("fresh")
    taken.setAttribute("data-arrived", "yes")
    list.append(taken)
    added += 1
  }
  return added
}

/** Takes over what changed. @returns whether something had to be left, because it was in use */
function take(fresh: Document): boolean {
  let left = false
  for (const list of document.querySelectorAll("[data-append]")) {
    const other = fresh.getElementById(list.id)
    if (other === null) continue
    const added = append(list, other)
    if (added > 0) announce(list, added)
  }
  // A list that was empty when the page was made.
  const entries = document.getElementById("entries")
  if (entries !== null && document.getElementById("timeline") === null)
    entries.replaceChildren(...[...(fresh.getElementById("entries")?.children ?? [])].map((child) => document.importNode(child, true)))
  for (const part of document.querySelectorAll("[data-live]")) {
    const other = fresh.getElementById(part.id)
    if (other === null || other.innerHTML === part.innerHTML) continue
    if (inUse(part)) left = true
    else part.replaceChildren(...[...other.childNodes].map((child) => document.importNode(child, true)))
  }
  document.title = fresh.title
  const watermark = fresh.getElementById("timeline")
  if (watermark !== null) refreshExpectations(fresh)
  return left
}

/** A reply form's ids stay; what a checkpoint expects of the Thread moves with it. */
function refreshExpectations(fresh: Document): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href*="post_research_checkpoint"]')) {
    const other = fresh.querySelector<HTMLAnchorElement>('a[href*="post_research_checkpoint"]')
    if (other !== null) link.href = other.href
  }
}

const withheldIn = (page: Document): number => page.querySelectorAll(".withheld").length

async function refresh(): Promise<void> {
  const url = new URL(location.href)
  url.searchParams.delete("done")
  const response = await fetch(url, { headers: { accept: "text/html" } })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html")
  const left = take(fresh)
  // What was withheld since goes from wherever it stands, also where somebody is at work: what they wrote is kept as a draft.
  if (withheldIn(fresh) > withheldIn(document)) location.reload()
  connection(left ? "Something changed where you are at work; reload to see it." : "")
}

/** Ends when the machine says that its network went or came back: no need to wait for a request to fail, or to try again. */
const networkChanged = () =>
  new Promise<void>((resolve) => {
    for (const event of ["online", "offline"]) addEventListener(event, () => resolve(), { once: true })
  })

/** Resolves when this tab is seen again. */
const seen = () =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (document.hidden) return
      document.removeEventListener("visibilitychange", look)
      resolve()
    }
    document.addEventListener("visibilitychange", look)
    look()
  })

/** Follows a Room for as long as the page is open and seen. */
export async function follow(main: HTMLElement): Promise<void> {
  const { room = "", base = "" } = main.dataset
  let after = Number(main.dataset.after)
  let failures = 0
  let gone = false
  /** When another tab last said how its feed of this Room stands. */
  let heardAt = Number.NEGATIVE_INFINITY
  let asking = new AbortController()
  let wake = () => {}
  /** Ends what waits, without anything having failed. */
  const turnTo = () => {
    asking.abort(TURNED)
    wake()
  }
  const turn = takeTurns(base, turnTo, (elsewhere, now) => {
    if (elsewhere !== room) return
    heardAt = performance.now()
    if (now > after) wake()
  })
  addEventListener("pagehide", () => {
    gone = true
    turn.give()
    asking.abort()
  })
  addEventListener("offline", () => asking.abort())
  addEventListener("focus", () => turn.ask(true))
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) turn.give()
    turnTo()
  })
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload())
  /** Asks for the page again as often as something landed meanwhile, once at a time. */
  let landed = false
  let refreshing: Promise<void> | null = null
  const takeOver = () => {
    landed = true
    refreshing ??= (async () => {
      while (landed) {
        landed = false
        await refresh()
      }
    })().finally(() => (refreshing = null))
    return refreshing
  }
  const isBack = async () => {
    if (failures > 0) await takeOver()
    failures = 0
    main.dataset.following = "on"
  }
  const now = (sequence: number) => {
    after = sequence
    main.dataset.after = String(after)
  }
  /** Listens until this tab loses its turn. @throws where the connection or the page fails */
  const listen = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const source = new EventSource(`${base}/api/research/rooms/${room}/events?after=${after}`)
      const still = setInterval(() => turn.tell(room, after), STILL)
      const end = (error?: unknown) => {
        clearInterval(still)
        source.close()
        if (error === undefined) resolve()
        else reject(error)
      }
      signal.addEventListener("abort", () => end(), { once: true })
      source.onopen = () => void isBack().catch(end)
      source.onmessage = ({ lastEventId }) => {
        now(Number(lastEventId))
        turn.tell(room, after)
        void takeOver().catch(end)
      }
      source.onerror = () => end(new Error("the events broke off"))
    })
  /** Looks once whether something landed. */
  const look = async (signal: AbortSignal) => {
    // Two tabs with the same question would wait for each other at the browser's cache.
    const response = await fetch(`${base}/api/research/rooms/${room}/activity?after=${after}`, { signal, cache: "no-store" })
    // The Room was restored to an earlier state than this page shows.
    if (response.status === 422) location.reload()
    if (!response.ok) throw new Error(`status ${response.status}`)
    const { items, nextCursor }: { items: unknown[]; nextCursor: number } = await response.json()
    if (items.length > 0) await takeOver()
    now(nextCursor)
    await isBack()
  }
  while (!gone) {
    if (document.hidden) await seen()
    turn.ask()
    asking = new AbortController()
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    try {
      // After a failure a look says what is wrong, which events cannot.
      if (failures > 0 || !turn.holds) await look(asking.signal)
      if (turn.holds) await listen(asking.signal)
      else {
        const isHeard = performance.now() - heardAt < UNHEARD
        await Promise.race([pause(isHeard ? UNHEARD : UNHELD), woken, networkChanged()])
      }
    } catch {
      if (gone) return
      if (asking.signal.reason === TURNED) continue
      failures += 1
      main.dataset.following = "off"
      connection("The connection is gone. What you see may be out of date; trying again.")
      await Promise.race([pause(Math.min(LONGEST_PAUSE, 500 * 2 ** failures)), networkChanged()])
    }
  }
}
