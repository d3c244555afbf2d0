/** A Thread: replies that quote the selected text, previews, and marks of what is new to this browser's reader. */
import { v4 as uuid } from "uuid"
import { keepDraft } from "./drafts.ts"
import { made, pageIn } from "./page.ts"
import { drawn } from "./forms.ts"

/** The selected text within an entry, as Markdown. Formulas become their source. */
function selectedIn(entry: Element): string {
  const selection = getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return ""
  const range = selection.getRangeAt(0)
  const prose = [...entry.querySelectorAll(".prose, .wording")].find((part) =>
    part.contains(range.commonAncestorContainer),
  )
  if (prose === undefined) return ""
  const copy = made("div", {}, range.cloneContents())
  for (const formula of copy.querySelectorAll("math")) {
    const source = formula.querySelector("annotation")?.textContent ?? ""
    const mark = formula.getAttribute("display") === "block" ? "$$" : "$"
    formula.replaceWith(`${mark}${source}${mark}`)
  }
  for (const block of copy.querySelectorAll("p, li, pre, h4, h5, h6, blockquote")) block.append("\n")
  return (copy.textContent ?? "").replace(/\n{2,}/g, "\n").trim()
}

const quoted = (text: string): string => `${text.replace(/^/gm, "> ")}\n\n`

/** The reply form below an entry, made from the page's template at first use. */
function replyForm(entry: Element): HTMLFormElement | null {
  const known = entry.querySelector<HTMLFormElement>("form.reply")
  if (known !== null) return known
  const template = document.getElementById("reply-form")
  const form =
    template instanceof HTMLTemplateElement ? document.importNode(template.content, true).querySelector("form") : null
  const [box, label] = [form?.querySelector("textarea"), form?.querySelector("label")]
  if (form === null || box == null || label == null) return null
  const entryId = entry.id.replace("entry-", "")
  const set = (name: string, value: string) => form.querySelector(`[name="/${name}"]`)?.setAttribute("value", value)
  set("clientMessageId", uuid())
  set("replyToEntryId", entryId)
  form.dataset.draft = form.dataset.draft?.replace(/reply$/, entryId)
  box.id = label.htmlFor = `text-${entryId}`
  form.querySelector("[data-leave]")?.addEventListener("click", () => {
    form.hidden = true
    entry.querySelector<HTMLElement>("[data-reply]")?.focus()
  })
  entry.querySelector(".after")?.append(form)
  keepDraft(form)
  addTabs(form)
  return form
}

/** Opens the reply form of an entry, and quotes the selected text. @returns whether the entry takes replies */
export function replyTo(entry: Element): boolean {
  const text = selectedIn(entry)
  const form = entry.querySelector("[data-reply]") === null ? null : replyForm(entry)
  const box = form?.querySelector("textarea")
  if (form === null || box == null) return false
  form.hidden = false
  if (text !== "" && !box.value.includes(quoted(text))) {
    box.value = `${box.value}${box.value === "" || box.value.endsWith("\n") ? "" : "\n\n"}${quoted(text)}`
    box.dispatchEvent(new Event("input", { bubbles: true }))
  }
  box.focus()
  box.setSelectionRange(box.value.length, box.value.length)
  return true
}

/** Fetches the preview of a form. Only the service renders Markdown. */
async function preview(form: HTMLFormElement): Promise<Iterable<Node>> {
  const shown = (await drawn(form, [["_preview", "1"]])).querySelector(".preview")
  if (shown === null) throw new Error("no preview")
  return shown.childNodes
}

function addTabs(form: HTMLFormElement): void {
  const [box, button] = [
    form.querySelector("textarea"),
    form.querySelector<HTMLButtonElement>("button[name='_preview']"),
  ]
  if (box === null || button === null) return
  const panel = made("div", {
    className: "preview",
    id: `${box.id}-preview`,
    tabIndex: 0,
    hidden: true,
    role: "tabpanel",
  })
  const buttons = ["Write", "Preview"].map((name, index) => {
    const tab = made("button", { type: "button", className: "plain", id: `${box.id}-tab-${index}`, role: "tab" }, name)
    tab.addEventListener("click", () => void show(index))
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return
      void show(1 - index)
      buttons[1 - index]?.focus()
    })
    return tab
  })
  buttons[0]?.setAttribute("aria-controls", box.id)
  buttons[1]?.setAttribute("aria-controls", panel.id)
  panel.setAttribute("aria-labelledby", `${box.id}-tab-1`)
  const mark = (chosen: number) => (tab: HTMLElement, index: number) => {
    tab.ariaSelected = String(index === chosen)
    tab.tabIndex = index === chosen ? 0 : -1
  }
  const show = async (chosen: number): Promise<void> => {
    buttons.forEach(mark(chosen))
    box.hidden = chosen === 1
    panel.hidden = chosen === 0
    if (chosen === 0) return box.focus()
    try {
      panel.replaceChildren(...(await preview(form)))
    } catch {
      panel.replaceChildren("There is no preview at the moment. What you wrote is kept.")
    }
  }
  box.before(made("div", { className: "tabs", role: "tablist" }, ...buttons))
  box.after(panel)
  button.remove()
  buttons.forEach(mark(0))
}

/** Adds tabs to the message forms, and opens reply forms below their entries. */
export function writeInPlace(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-draft^='message-']")) addTabs(form)
  const entryOf = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest("[data-reply]") : null
    return link === null ? null : link.closest("[data-entry]")
  }
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    const entry = entryOf(event)
    if (entry !== null && replyTo(entry)) event.preventDefault()
  })
  // A press of the pointer would clear the selection, so it is read before that.
  document.addEventListener("pointerdown", (event) => {
    const entry = entryOf(event)
    if (entry === null || event.button !== 0 || selectedIn(entry) === "") return
    event.preventDefault()
    replyTo(entry)
  })
}

/** Opens the menu of an entry in place: a page has only a link to it at each entry. */
export function openMenus(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a.menu") : null
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    const open = async (): Promise<void> => {
      const page = await pageIn(await fetch(link.href))
      const menu = page.getElementById(new URL(link.href).hash.slice(1))?.querySelector("details.menu")
      if (menu == null) throw new Error("no menu")
      link.replaceWith(menu)
      menu.querySelector("summary")?.focus()
    }
    open().catch(() => location.assign(link.href))
  })
}

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
