/**
 * Helps with forms: marks words of a sentence, fills in meanings of roles, shows similar records while the user types.
 */
import { after, made } from "./page.ts"
import { addRow, drawn, workRows } from "./rows.ts"

type Input = HTMLInputElement | HTMLTextAreaElement

/** Milliseconds after the last key before similar records or more choices are searched. */
const PAUSE = 600
/** The shortest text for which similar records are searched, in characters. */
const LEAST = 12

const inputNamed = (form: HTMLFormElement, name: string): Input | null =>
  form.querySelector(`[name="${CSS.escape(name)}"]`)

function write(input: Input | null, text: string): void {
  if (input === null) return
  input.value = text
  input.dispatchEvent(new Event("input", { bubbles: true }))
}

/** The first row of a list whose input of that name is empty. Adds a row if there is none. */
async function emptyRow(form: HTMLFormElement, list: string, name: string, from: number): Promise<string> {
  const rows = form.querySelectorAll(`[data-row="${CSS.escape(list)}"]`).length
  for (let row = from; row < rows; row += 1)
    if (inputNamed(form, `${list}/${row}/${name}`)?.value === "") return `${list}/${row}`
  await addRow(form, list)
  return `${list}/${Math.max(rows, from)}`
}

/** Puts the selected words into the form: as the predicate, as a word to explain, or as the value of a role. */
async function mark(form: HTMLFormElement, as: string, words: string): Promise<void> {
  if (as === "role") {
    const at = await emptyRow(form, "/assertion/roles", "value", 0)
    write(inputNamed(form, `${at}/value`), words)
    inputNamed(form, `${at}/role`)?.focus()
    return
  }
  const at = as === "happens" ? "/concepts/0" : await emptyRow(form, "/concepts", "label", 1)
  write(inputNamed(form, `${at}/label`), words)
  inputNamed(form, `${at}/definition`)?.focus()
}

function markWords(form: HTMLFormElement): void {
  // Adding a row replaces the textarea, so it is looked up each time.
  const selected = (): string => {
    const wording = inputNamed(form, "/assertion/wording")
    return wording instanceof HTMLTextAreaElement
      ? wording.value.slice(wording.selectionStart, wording.selectionEnd).trim()
      : ""
  }
  const show = () => {
    const bar = form.querySelector<HTMLElement>("[data-marking]")
    if (bar === null) return
    for (const button of bar.querySelectorAll("button")) button.disabled = selected() === ""
  }
  form.addEventListener("selectionchange", show)
  form.addEventListener("keyup", show)
  form.addEventListener("pointerup", show)
  form.addEventListener("click", ({ target }) => {
    const as = target instanceof HTMLElement ? target.dataset.mark : undefined
    const words = selected()
    if (as !== undefined && words !== "") void mark(form, as, words)
  })
  show()
}

/** Fills in the meaning of a known role, unless the user has written another. */
function fillMeanings(form: HTMLFormElement): void {
  form.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !/^\/assertion\/roles\/\d+\/role$/.test(target.name)) return
    const known = [...(target.list?.options ?? [])]
    const meaning = known.find(({ value }) => value === target.value)?.label
    const input = inputNamed(form, target.name.replace(/role$/, "definition"))
    if (
      meaning !== undefined &&
      input !== null &&
      (input.value === "" || known.some(({ label }) => label === input.value))
    )
      write(input, meaning)
  })
}

/** Replaces a part of the page with the same part of another page, unless it has the focus. */
function take(page: Document, selector: string): void {
  const [old, fresh] = [document.querySelector(selector), page.querySelector(selector)]
  if (old === null || fresh === null || old.contains(document.activeElement) || old.innerHTML === fresh.innerHTML)
    return
  old.replaceChildren(...fresh.childNodes)
}

/** Shows records similar to the sentence, and the proposed words and roles, while the user types. */
function showSimilar(form: HTMLFormElement): void {
  const afterPause = after(PAUSE)
  const show = (signal: AbortSignal) =>
    drawn(form, [["_preview", "1"]], signal).then(
      (page) => {
        take(page, "#near")
        take(page, "[data-structure]")
      },
      () => {},
    )
  form.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement) || !["/assertion/wording", "/question"].includes(target.name)) return
    afterPause(target.value.trim().length < LEAST ? undefined : show)
  })
}

/** Shows which verdicts the form would change, when enough of it is filled in. */
function showChanges(form: HTMLFormElement): void {
  const atOnce = after(0)
  const show = (signal: AbortSignal) =>
    drawn(form, [["_rehearse", "1"]], signal).then(
      (page) => take(page, "#changes"),
      () => {},
    )
  form.addEventListener("change", ({ target }) => {
    if (
      target instanceof HTMLSelectElement &&
      target.name.includes("/toward") &&
      form.querySelector("[name=_rehearse]")
    )
      atOnce(show)
  })
}

/** Shows what a table of values is read as, while it is pasted or typed. */
function showTable(form: HTMLFormElement): void {
  const afterPause = after(PAUSE)
  const show = (signal: AbortSignal) =>
    drawn(form, [["_read", "1"]], signal).then(
      (page) => take(page, "#table-read"),
      () => {},
    )
  form.addEventListener("input", ({ target }) => {
    if (target instanceof Element && target.getAttribute("name")?.startsWith("/table/")) afterPause(show)
  })
}

/** Searches for more choices than the page lists, by what is typed. */
function findMore(form: HTMLFormElement): void {
  const room = /rooms\/([0-9a-f-]{36})/.exec(document.querySelector<HTMLAnchorElement>(".rail a")?.href ?? "")?.[1]
  const base = document.getElementById("main")?.dataset.base ?? ""
  const afterPause = after(PAUSE)
  if (room === undefined) return
  form.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.dataset.picks || target.list === null) return
    const { list, value, dataset } = target
    const isEnough = value.trim().length >= 2 && ![...list.options].some((option) => option.value === value)
    const search = async () => {
      const query = new URLSearchParams({
        roomId: room,
        kinds: dataset.picks ?? "",
        query: value.slice(0, 200),
        limit: "12",
      })
      const response = await fetch(`${base}/api/research/search?${query}`).catch(() => null)
      if (response?.ok !== true) return
      const { items }: { items: { label: string | null; title: string }[] } = await response.json()
      for (const { label, title } of items) {
        const text = label === null ? title : `${label}: ${title.slice(0, 90)}`
        if ([...list.options].some((option) => option.value === text || option.value.startsWith(`${label}:`))) continue
        list.append(made("option", { value: text }))
      }
    }
    afterPause(isEnough ? search : undefined)
  })
}

/** Focuses the first field of a page that is only a form, on devices with a mouse or a similar pointer. */
function begin(): void {
  if (!matchMedia("(pointer: fine)").matches || location.hash !== "") return
  const first = document.querySelector<HTMLElement>("form[data-begin] :is(input:not([type=hidden]), textarea, select)")
  first?.focus({ preventScroll: true })
}

export function workForms(): void {
  begin()
  for (const form of document.querySelectorAll<HTMLFormElement>("form.stack[data-draft]")) {
    workRows(form)
    markWords(form)
    fillMeanings(form)
    showSimilar(form)
    showChanges(form)
    showTable(form)
    findMore(form)
  }
}
