/** Writing in place: what was selected of an entry is quoted in its reply, and what will be seen shows where it is written. */
import { v4 as uuid } from "uuid"
import { keepDraft } from "./drafts.ts"

/** What is selected within an element, as Markdown would quote it: formulas by their source. */
function selectedIn(entry: Element): string {
  const selection = getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return ""
  const range = selection.getRangeAt(0)
  const prose = [...entry.querySelectorAll(".prose, .wording")].find((part) => part.contains(range.commonAncestorContainer))
  if (prose === undefined) return ""
  const taken = document.createElement("div")
  taken.append(range.cloneContents())
  for (const formula of taken.querySelectorAll("math")) {
    const source = formula.querySelector("annotation")?.textContent ?? ""
    const mark = formula.getAttribute("display") === "block" ? "$$" : "$"
    formula.replaceWith(`${mark}${source}${mark}`)
  }
  for (const block of taken.querySelectorAll("p, li, pre, h4, h5, h6, blockquote")) block.append("\n")
  return (taken.textContent ?? "").replace(/\n{2,}/g, "\n").trim()
}

const quoted = (text: string): string => `${text.replace(/^/gm, "> ")}\n\n`

/** The form of a reply, below its entry: made of the page's one form for replies when it is first asked for. */
function replyForm(entry: Element): HTMLFormElement | null {
  const known = entry.querySelector<HTMLFormElement>("form.reply")
  if (known !== null) return known
  const template = document.getElementById("reply-form")
  const form = template instanceof HTMLTemplateElement ? document.importNode(template.content, true).querySelector("form") : null
  const [box, label] = [form?.querySelector("textarea"), form?.querySelector("label")]
  if (form === null || box == null || label == null) return null
  const entryId = entry.id.replace("entry-", "")
  const give = (name: string, value: string) => form.querySelector(`[name="/${name}"]`)?.setAttribute("value", value)
  give("clientMessageId", uuid())
  give("replyToEntryId", entryId)
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

/** Opens the reply to an entry; begins it with what is selected of the entry. @returns whether it has one */
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

/** What a form says, as it will be seen; asked of the service, which alone sets Markdown. */
async function preview(form: HTMLFormElement): Promise<Node[]> {
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]))
  body.set("_preview", "1")
  const response = await fetch(form.action, { method: "POST", body })
  const shown = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(".preview")
  if (shown === null) throw new Error(`status ${response.status}`)
  return [...shown.childNodes].map((child) => document.importNode(child, true))
}

/** Two tabs above a box: what is written, and what will be seen. */
function addTabs(form: HTMLFormElement): void {
  const [box, button] = [form.querySelector("textarea"), form.querySelector<HTMLButtonElement>("button[name='_preview']")]
  if (box === null || button === null) return
  const tabs = document.createElement("div")
  tabs.className = "tabs"
  tabs.setAttribute("role", "tablist")
  const panel = document.createElement("div")
  panel.className = "preview"
  panel.id = `${box.id}-preview`
  panel.tabIndex = 0
  panel.hidden = true
  panel.setAttribute("role", "tabpanel")
  const made = ["Write", "Preview"].map((name, index) => {
    const tab = document.createElement("button")
    tab.type = "button"
    tab.className = "plain"
    tab.textContent = name
    tab.id = `${box.id}-tab-${index}`
    tab.setAttribute("role", "tab")
    tab.addEventListener("click", () => void show(index))
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return
      void show(1 - index)
      made[1 - index]?.focus()
    })
    return tab
  })
  made[0]?.setAttribute("aria-controls", box.id)
  made[1]?.setAttribute("aria-controls", panel.id)
  panel.setAttribute("aria-labelledby", `${box.id}-tab-1`)
  const mark = (chosen: number) => (tab: HTMLElement, index: number) => {
    tab.setAttribute("aria-selected", String(index === chosen))
    tab.tabIndex = index === chosen ? 0 : -1
  }
  const show = async (chosen: number): Promise<void> => {
    made.forEach(mark(chosen))
    box.hidden = chosen === 1
    panel.hidden = chosen === 0
    if (chosen === 0) return box.focus()
    try {
      panel.replaceChildren(...(await preview(form)))
    } catch {
      panel.replaceChildren("There is no preview at the moment. What you wrote is kept.")
    }
  }
  tabs.append(...made)
  box.before(tabs)
  box.after(panel)
  button.remove()
  made.forEach(mark(0))
}

/** Adds to each form that can be previewed, and holds one text, its tabs; and lets replies be written where they are asked for. */
export function writeInPlace(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-draft^='message-']")) addTabs(form)
  const asked = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest("[data-reply]") : null
    return link === null ? null : link.closest("[data-entry]")
  }
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    const entry = asked(event)
    if (entry !== null && replyTo(entry)) event.preventDefault()
  })
  // The pointer would take the selection away: it is looked at when that goes down.
  document.addEventListener("pointerdown", (event) => {
    const entry = asked(event)
    if (entry === null || event.button !== 0 || selectedIn(entry) === "") return
    event.preventDefault()
    replyTo(entry)
  })
}
