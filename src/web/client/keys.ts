/**
 * Keyboard shortcuts: `/` searches, `j` and `k` step through entries, `?` lists all of them. Their dialogs are made at
 * their first use: without the script nothing opens them, so no page carries them.
 */
import { folded } from "../../contract/folding.ts"
import { after, made, pageIn } from "./page.ts"
import { replyTo } from "./thread.ts"

// `Ctrl+K`: finds a Room, label, paper or person by a few letters, and lists the actions of this page. Results come
// from the service's search; actions are the links of the page.

interface Choice {
  readonly text: string
  readonly beside: string
  readonly href: string
}

const MOST = 12
/** Milliseconds after the last key before the service is searched. */
const PAUSE = 120

/** The links of this page to places and actions that contain the query. */
function onPage(query: string): Choice[] {
  const links = document.querySelectorAll<HTMLAnchorElement>(
    ".rail a[href], .actions a[href], .beside a.button[href], .top nav a[href]",
  )
  const wanted = folded(query)
  const seen = new Set<string>()
  return [...links].flatMap(({ textContent, href, parentElement }) => {
    const text = (textContent ?? "").replace(/\s+/g, " ").trim()
    if (text === "" || seen.has(href) || !folded(text).includes(wanted)) return []
    seen.add(href)
    return [
      {
        text: text.replace(/\s\d[\d,]*$/, ""),
        beside: parentElement?.classList.contains("actions") ? "do" : "go",
        href,
      },
    ]
  })
}

async function found(base: string, query: string, signal: AbortSignal): Promise<Choice[]> {
  const response = await fetch(`${base}/search?query=${encodeURIComponent(query)}`, {
    headers: { accept: "text/html" },
    signal,
  })
  if (!response.ok) return []
  const page = await pageIn(response)
  return [...page.querySelectorAll<HTMLAnchorElement>("main .banner a[href], main .cards li > a[href]")].map(
    (link) => ({
      text: (link.textContent ?? "").replace(/\s+/g, " ").trim(),
      beside: (link.closest("li")?.querySelector(".meta > span")?.textContent ?? "").replace(/\s+/g, " ").trim(),
      href: new URL(link.getAttribute("href") ?? "", location.href).href,
    }),
  )
}

/** The dialog of `Ctrl+K`, with its input and its list. */
function makePalette() {
  const list = made("ul", { id: "palette-list", role: "listbox", ariaLabel: "Places and actions" })
  const input = made("input", {
    ...{ id: "palette-query", type: "text", role: "combobox", ariaExpanded: "true", ariaLabel: "Go to" },
    ...{ placeholder: "Go to a Room, a label, a paper; or do something here", maxLength: 200, autocomplete: "off" },
  })
  input.setAttribute("aria-controls", list.id)
  const dialog = made("dialog", { id: "palette", className: "palette", ariaLabel: "Go anywhere" }, input, list)
  document.body.append(dialog)
  return { dialog, input, list }
}
let palette: ReturnType<typeof makePalette> | undefined

function openPalette(): void {
  const { dialog, input, list } = (palette ??= makePalette())
  if (dialog.open) return
  const base = document.getElementById("main")?.dataset.base ?? ""
  const afterPause = after(PAUSE)
  let chosen = 0

  const options = () => [...list.querySelectorAll<HTMLElement>("[role=option]")]
  const choose = (index: number) => {
    const all = options()
    chosen = all.length === 0 ? 0 : (index + all.length) % all.length
    all.forEach((option, at) => option.setAttribute("aria-selected", String(at === chosen)))
    const at = all[chosen]
    if (at === undefined) input.removeAttribute("aria-activedescendant")
    else input.setAttribute("aria-activedescendant", at.id)
    at?.scrollIntoView({ block: "nearest" })
  }
  const show = (choices: readonly Choice[]) => {
    if (choices.length === 0) {
      const nothing = "No name on this page contains that. Press Enter to search the record."
      list.replaceChildren(made("li", { className: "quiet", role: "option", ariaDisabled: "true" }, nothing))
      choose(0)
      return
    }
    list.replaceChildren(
      ...choices.slice(0, MOST).map(({ text, beside, href }, index) => {
        const names = [made("span", {}, text), made("span", { className: "meta" }, beside)]
        const item = made("li", { id: `palette-${index}`, role: "option" }, ...names)
        item.dataset.href = href
        item.addEventListener("click", () => location.assign(href))
        return item
      }),
    )
    choose(0)
  }
  const search = () => {
    const query = input.value.trim()
    const here = onPage(query)
    show(here)
    const ask = (signal: AbortSignal) =>
      found(base, query, signal).then(
        (others) => signal.aborted || show([...others.slice(0, MOST - Math.min(3, here.length)), ...here]),
        () => {},
      )
    afterPause(query === "" ? undefined : ask)
  }
  input.value = ""
  input.oninput = search
  input.onkeydown = (event) => {
    const acts: Record<string, () => void> = {
      ArrowDown: () => choose(chosen + 1),
      ArrowUp: () => choose(chosen - 1),
      Enter: () => {
        const href = options()[chosen]?.dataset.href
        if (href !== undefined) location.assign(href)
        else if (input.value.trim() !== "")
          location.assign(`${base}/search?query=${encodeURIComponent(input.value.trim())}`)
      },
    }
    const act = acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  search()
  dialog.showModal()
  input.focus()
}

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function step(by: 1 | -1): void {
  // Nothing that is folded can take the focus.
  const entries = [...document.querySelectorAll<HTMLElement>("[data-entry]")].filter((entry) => entry.checkVisibility())
  // A verdict stands within the entry of its finding.
  const at = entries.findLastIndex((entry) => entry.contains(document.activeElement))
  const next =
    entries[at === -1 ? (by === 1 ? 0 : entries.length - 1) : Math.min(entries.length - 1, Math.max(0, at + by))]
  if (next === undefined) return
  const leading = next.querySelector<HTMLElement>("a.permalink, a.wording")
  const focused = leading ?? next.querySelector<HTMLElement>("a:not(.person), button") ?? next
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

const KEYS = [
  ["Ctrl K", "go to anything, or do what can be done here"],
  ["/", "search"],
  ["j", "next entry"],
  ["k", "entry before"],
  ["r", "reply to the entry"],
  ["c", "write in the Thread"],
  ["Ctrl ↵", "send what you write"],
  ["g", "all Rooms"],
  ["?", "this list"],
] as const

/** The list of keys. */
function makeKeyList(): HTMLDialogElement {
  const rows = KEYS.map(([key, does]) => made("div", {}, made("dt", {}, made("kbd", {}, key)), made("dd", {}, does)))
  const dialog = made("dialog", { id: "key-list" })
  dialog.setAttribute("aria-labelledby", "keys-title")
  const close = made("form", { method: "dialog" }, made("button", {}, "Close"))
  dialog.append(made("h2", { id: "keys-title" }, "Keys"), made("dl", { className: "facts" }, ...rows), close)
  document.body.append(dialog)
  return dialog
}

export function listenForKeys(): void {
  let keys: HTMLDialogElement | undefined
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
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || keys?.open) return
    const acts: Record<string, () => void> = {
      "/": () => document.getElementById("search")?.focus(),
      j: () => step(1),
      k: () => step(-1),
      r: reply,
      c: () => document.getElementById("text-thread")?.focus(),
      g: () => document.querySelector<HTMLAnchorElement>("a.brand")?.click(),
      "?": () => (keys ??= makeKeyList()).showModal(),
    }
    const act = acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  })
}
