/**
 * Keeps a page up to date: listens to the events of its Room, fetches the page again and replaces what changed. New
 * entries are added at the end and marked, nothing above the reader moves, and a form in use is left alone.
 */
import { made, pageIn } from "./page.ts"

/**
 * Shares one event stream among all tabs of a browser, which opens only six connections to a host over HTTP/1.1. The
 * tab that was viewed last holds the stream, and tells the others when something arrives. If the browser has no locks
 * (they need https or localhost), each visible tab holds its own stream.
 */
interface Turn {
  /** Whether this tab may hold the stream now. */
  readonly holds: boolean
  /** Requests the turn. @param now whether to take it from the tab that has it */
  ask(now?: boolean): void
  /** Gives up the turn, or the request for it. */
  give(): void
  /** Tells the other tabs the last entry of a Room. */
  tell(room: string, after: number): void
}

/**
 * @param base the path of the service @param changed called when this tab gets or loses its turn @param heard called
 * with what another tab tells
 */
function takeTurns(base: string, changed: () => void, heard: (room: string, after: number) => void): Turn {
  const name = `research-room feed ${base}`
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name)
  channel?.addEventListener("message", ({ data }: MessageEvent<{ room: string; after: number }>) =>
    heard(data.room, data.after),
  )
  // Callbacks of an earlier request compare their number with this one, and do nothing.
  let line = 0
  let holds = false
  let waits = false
  let leave = () => {}
  const set = (now: boolean) => {
    if (holds === now) return
    holds = now
    changed()
  }
  const give = () => {
    line += 1
    waits = false
    leave()
    leave = () => {}
    set(false)
  }
  return {
    get holds() {
      return holds
    },
    ask(now = false) {
      if (holds || (waits && !now)) return
      give()
      waits = true
      const own = line
      // Old browsers, and pages over plain http from another machine, have no locks, although the types say so.
      const { locks }: { readonly locks?: LockManager } = navigator
      if (locks === undefined) return set(true)
      const left = new AbortController()
      const over = new Promise<void>((resolve) => {
        leave = () => {
          left.abort()
          resolve()
        }
      })
      const granted = () => {
        if (own !== line) return undefined
        set(true)
        return over
      }
      // The lock was stolen by another tab, or the request was aborted.
      locks.request(name, now ? { steal: true } : { signal: left.signal }, granted).catch(() => {
        if (own !== line) return
        give()
        this.ask()
      })
    },
    give,
    tell: (room, after) => channel?.postMessage({ room, after }),
  }
}

/**
 * Milliseconds after which a tab that does not listen polls: if no other tab listens to its Room, and if one that did
 * has gone silent.
 */
const UNHELD = 5_000
const UNHEARD = 30_000
/** Milliseconds between messages from the listening tab that it still listens. */
const STILL = 15_000
/** The reason for aborting a request that has not failed. */
const TURNED = "another tab's turn"
const LONGEST_PAUSE = 30_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

function showConnection(text: string): void {
  const status = document.getElementById("connection")
  if (status !== null && status.textContent !== text) status.textContent = text
}

/** Whether the reader is using a part of the page: it has the focus, the selection or ticked rows. */
const inUse = (part: Element): boolean => {
  const active = document.activeElement
  if (active !== null && active !== document.body && part.contains(active)) return true
  if (part.querySelector("[data-ticks] tbody :checked") !== null) return true
  const selected = getSelection()
  return (
    selected !== null && !selected.isCollapsed && selected.anchorNode !== null && part.contains(selected.anchorNode)
  )
}

/** Updates the link to an entry's replies, or adds it after the first reply. */
function takeReplies(known: Element, item: Element): void {
  const [before, after] = [known.querySelector("[data-replies]"), item.querySelector("[data-replies]")]
  if (after === null) return
  const place = known.querySelector(".after")
  if (before !== null) before.textContent = after.textContent
  else if (place !== null) place.prepend(after)
  else known.append(after.closest(".after") ?? after)
}

/** Shows that entries arrived below the screen, with a link to the first of them. */
function announce(list: Element, added: number): void {
  const news = document.getElementById("arrived")
  const first = list.querySelector("[data-arrived]") ?? list.children[list.children.length - added]
  if (news === null || first === undefined || first.getBoundingClientRect().top < innerHeight) return
  const arrived = list.querySelectorAll<HTMLElement>("[data-arrived]")
  const link = made(
    "a",
    { href: `#${first.id}` },
    `${arrived.length} new ${arrived.length === 1 ? "entry" : "entries"} ↓`,
  )
  link.addEventListener("click", () => {
    for (const entry of arrived) delete entry.dataset.arrived
    news.replaceChildren()
  })
  news.replaceChildren(link)
}

/** The item of the page that stands for an item of the fresh copy. A single receipt may have become a run since. */
function knownAs(item: Element): Element | null {
  const own = item.id === "" ? null : document.getElementById(item.id)
  const first = item.querySelector(":scope .steps-done > :first-child")
  return own ?? (first === null ? null : document.getElementById(first.id))
}

/** Whether an item holds an entry that the page lacks: a run went on, or a finding got its verdict. */
const hasGrown = (item: Element): boolean =>
  [...item.querySelectorAll("[data-sequence], .receipt")].some(({ id }) => document.getElementById(id) === null)

function grow(known: Element, item: Element): void {
  const [before, after] = [known.querySelector("details"), item.querySelector("details")]
  if (before?.hasAttribute("open") === true) after?.setAttribute("open", "")
  known.replaceWith(item)
}

/** Appends the new entries of a list. @returns how many there were */
function append(list: Element, fresh: Element): number {
  let added = 0
  for (const item of [...fresh.children]) {
    const known = knownAs(item)
    if (known !== null) {
      if (hasGrown(item)) grow(known, item)
      else takeReplies(known, item)
      continue
    }
    item.classList.add("fresh")
    item.setAttribute("data-arrived", "yes")
    list.append(item)
    added += 1
  }
  return added
}

/** The markup of each part as it was sent: the script and the reader change what stands on the page. */
const sent = new WeakMap<Element, string>()
const remember = () => {
  for (const part of document.querySelectorAll("[data-live]")) sent.set(part, part.innerHTML)
}

/** A link to the form of a checkpoint, which expects the last entry of the Thread. */
const CHECKPOINT = 'a[href*="post_research_checkpoint"]'

/**
 * Updates the page with the parts of a fresh copy. @returns whether a part was left as it was because the reader is
 * using it
 */
function take(fresh: Document): boolean {
  let left = false
  const checkpoint = fresh.getElementById("timeline") && fresh.querySelector<HTMLAnchorElement>(CHECKPOINT)?.href
  for (const list of document.querySelectorAll("[data-append]")) {
    const other = fresh.getElementById(list.id)
    if (other === null) continue
    const added = append(list, other)
    if (added > 0) announce(list, added)
  }
  // The list was empty when the page was loaded.
  const entries = document.getElementById("entries")
  if (entries !== null && document.getElementById("timeline") === null)
    entries.replaceChildren(...(fresh.getElementById("entries")?.children ?? []))
  for (const part of document.querySelectorAll("[data-live]")) {
    const other = fresh.getElementById(part.id)
    if (other === null) continue
    const markup = other.innerHTML
    if (markup === sent.get(part)) continue
    if (inUse(part)) {
      left = true
      continue
    }
    sent.set(part, markup)
    part.replaceChildren(...other.childNodes)
  }
  document.title = fresh.title
  if (checkpoint) for (const link of document.querySelectorAll<HTMLAnchorElement>(CHECKPOINT)) link.href = checkpoint
  return left
}

const withheldIn = (page: Document): number => page.querySelectorAll(".withheld").length

async function refresh(): Promise<void> {
  const url = new URL(location.href)
  url.searchParams.delete("done")
  const response = await fetch(url, { headers: { accept: "text/html" } })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const fresh = await pageIn(response)
  const withheld = withheldIn(fresh)
  const left = take(fresh)
  // Withheld text must go at once, even from a part in use. What the reader has typed is kept as a draft.
  if (withheld > withheldIn(document)) location.reload()
  showConnection(left ? "Something changed in the part you are using. Reload to see it." : "")
}

/** Resolves when the network goes or comes back, so that nothing waits for a timeout. */
const networkChanged = () =>
  new Promise<void>((resolve) => {
    for (const event of ["online", "offline"]) addEventListener(event, () => resolve(), { once: true })
  })

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

/** Follows a Room while the page is open and visible. */
export async function follow(main: HTMLElement): Promise<void> {
  const { room = "", base = "" } = main.dataset
  // Where news is announced. A screen reader watches only what was there, empty, before the first news.
  const said = ["connection", "arrived"].map((id) =>
    made("p", { id, className: id, role: "status", ariaLive: "polite" }),
  )
  main.prepend(...said)
  remember()
  let after = Number(main.dataset.after)
  let failures = 0
  let gone = false
  /** When another tab last sent a message about this Room. */
  let heardAt = Number.NEGATIVE_INFINITY
  let request = new AbortController()
  let wake = () => {}
  /** Ends the current request or pause when this tab gets or loses its turn. */
  const turnTo = () => {
    request.abort(TURNED)
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
    request.abort()
  })
  addEventListener("offline", () => request.abort())
  addEventListener("focus", () => turn.ask(true))
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) turn.give()
    turnTo()
  })
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload())
  /** Refreshes the page, and once more if something arrived meanwhile. Only one refresh runs at a time. */
  let isStale = false
  let refreshing: Promise<void> | null = null
  const takeOver = () => {
    isStale = true
    refreshing ??= (async () => {
      while (isStale) {
        isStale = false
        await refresh()
      }
    })().finally(() => (refreshing = null))
    return refreshing
  }
  const connected = async () => {
    if (failures > 0) await takeOver()
    failures = 0
    main.dataset.following = "on"
  }
  const moveTo = (sequence: number) => {
    after = sequence
    main.dataset.after = String(after)
  }
  /** Listens until this tab loses its turn. @throws if the connection or the page fails */
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
      source.onopen = () => void connected().catch(end)
      source.onmessage = ({ lastEventId }) => {
        moveTo(Number(lastEventId))
        turn.tell(room, after)
        void takeOver().catch(end)
      }
      source.onerror = () => end(new Error("the events broke off"))
    })
  const poll = async (signal: AbortSignal) => {
    // Two tabs with the same request would wait for each other at the browser's cache.
    const response = await fetch(`${base}/api/research/rooms/${room}/activity?after=${after}`, {
      signal,
      cache: "no-store",
    })
    // The Room was restored to an earlier state than this page shows.
    if (response.status === 422) location.reload()
    if (!response.ok) throw new Error(`status ${response.status}`)
    const { items, nextCursor }: { items: unknown[]; nextCursor: number } = await response.json()
    if (items.length > 0) await takeOver()
    moveTo(nextCursor)
    await connected()
  }
  while (!gone) {
    if (document.hidden) await seen()
    turn.ask()
    request = new AbortController()
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    try {
      // After a failure, poll first: a response has a status, an event source does not.
      if (failures > 0 || !turn.holds) await poll(request.signal)
      if (turn.holds) await listen(request.signal)
      else {
        const isHeard = performance.now() - heardAt < UNHEARD
        await Promise.race([pause(isHeard ? UNHEARD : UNHELD), woken, networkChanged()])
      }
    } catch {
      if (gone) return
      if (request.signal.reason === TURNED) continue
      failures += 1
      main.dataset.following = "off"
      showConnection("The connection is lost. This page may be out of date. Trying again.")
      await Promise.race([pause(Math.min(LONGEST_PAUSE, 500 * 2 ** failures)), networkChanged()])
    }
  }
}

// Polls for an agent's first request, and updates the part of the page that waits for it.

const POLL_PAUSE = 2_000
/** Polling stops after this many requests: 20 minutes. */
const MOST_POLLS = 600

const nextPoll = () => new Promise((resolve) => setTimeout(resolve, POLL_PAUSE))

/** Polls the page at the part's address, and replaces the part when it changes. */
export async function awaitRequest(): Promise<void> {
  for (let request = 0; request < MOST_POLLS; request += 1) {
    const part = document.querySelector<HTMLElement>("[data-awaits]")
    const address = part?.dataset.awaits ?? ""
    if (part === null || address === "") return
    await nextPoll()
    if (document.hidden) continue
    const response = await fetch(address, { headers: { accept: "text/html" }, cache: "no-store" }).catch(
      () => undefined,
    )
    if (response?.ok !== true) continue
    const fresh = (await pageIn(response)).getElementById(part.id)
    if (fresh === null || fresh.innerHTML === part.innerHTML) continue
    part.replaceChildren(...fresh.childNodes)
    part.dataset.awaits = fresh.dataset.awaits ?? ""
  }
}
