/** Writing in place: what was selected of an entry is quoted in its reply, and what will be seen shows where it is written. */

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

/** Opens the reply to an entry; begins it with what is selected of the entry. */
export function replyTo(entry: Element): void {
  const folded = entry.querySelector<HTMLDetailsElement>("details.reply")
  const box = folded?.querySelector("textarea")
  if (folded === null || box === null || box === undefined) return
  const text = selectedIn(entry)
  folded.open = true
  if (text !== "" && !box.value.includes(quoted(text))) {
    box.value = `${box.value}${box.value === "" || box.value.endsWith("\n") ? "" : "\n\n"}${quoted(text)}`
    box.dispatchEvent(new Event("input", { bubbles: true }))
  }
  box.focus()
  box.setSelectionRange(box.value.length, box.value.length)
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
function addTabs(form: HTMLFormElement, box: HTMLTextAreaElement, button: HTMLButtonElement): void {
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
  async function show(chosen: number): Promise<void> {
    made.forEach(mark(chosen))
    box.hidden = chosen === 1
    panel.hidden = chosen === 0
    if (chosen === 0) return box.focus()
    try {
      panel.replaceChildren(...(await preview(form)))
    } catch {
      panel.replaceChildren("The preview cannot be had now. What you wrote is kept.")
    }
  }
  tabs.append(...made)
  box.before(tabs)
  box.after(panel)
  button.remove()
  made.forEach(mark(0))
}

/** Adds to each form that can be previewed, and holds one text, its tabs; and to each way to reply, the quote. */
export function writeInPlace(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-draft^='message-']")) {
    const [box, button] = [form.querySelector("textarea"), form.querySelector<HTMLButtonElement>("button[name='_preview']")]
    if (box !== null && button !== null) addTabs(form, box, button)
  }
  // The summary would take the selection away: it is looked at when the pointer goes down.
  for (const summary of document.querySelectorAll<HTMLElement>("details.reply > summary"))
    summary.addEventListener("pointerdown", (event) => {
      const entry = summary.closest("[data-entry]")
      if (entry === null || selectedIn(entry) === "") return
      event.preventDefault()
      replyTo(entry)
    })
}
