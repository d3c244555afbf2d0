/**
 * Helps with forms: marks words of a sentence, fills in meanings of roles, shows similar records while the user types,
 * reads files.
 */
import { after, made, pageIn } from "./page.ts"
import { fileText } from "../../contract/text.ts"

// Adds and removes rows of a form in place, and shows the inputs of the chosen options. The server renders the form,
// as it does without the script.

type Values = readonly (readonly [string, string])[]

/**
 * Sends the form and returns its page as the server renders it. @param instead values that replace the form's @throws
 * if the answer is no such page
 */
export async function drawn(form: HTMLFormElement, instead: Values, signal?: AbortSignal): Promise<Document> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value)
  for (const [name] of instead) body.delete(name)
  for (const [name, value] of instead) body.append(name, value)
  const response = await fetch(form.action, {
    method: "POST",
    body,
    headers: { accept: "text/html" },
    signal: signal ?? null,
  })
  if (!response.ok || response.redirected) throw new Error(`status ${response.status}`)
  return pageIn(response)
}

/** Replaces the fields of a form with those of another page. */
export function takeFields(form: HTMLFormElement, page: Document): void {
  const fresh = page.querySelector("form[data-draft]")
  if (fresh === null) throw new Error("no form")
  const open = [...form.querySelectorAll("details")].map(({ open }) => open)
  form.replaceChildren(...fresh.childNodes)
  for (const [index, details] of [...form.querySelectorAll("details")].entries())
    if (open[index] === true) details.open = true
  showChosenCases(form)
}

const countOf = (form: HTMLFormElement, path: string): number =>
  Number(form.querySelector<HTMLInputElement>(`input[name="${CSS.escape(`#${path}`)}"]`)?.value ?? 0)

const firstIn = (form: HTMLFormElement, path: string, row: number): HTMLElement | null =>
  form.querySelector(`:is(input:not([type=hidden]), textarea, select)[name^="${CSS.escape(`${path}/${row}`)}"]`)

/** Adds a row at the end of a list. @returns its first input */
async function addRow(form: HTMLFormElement, path: string): Promise<HTMLElement | null> {
  takeFields(form, await drawn(form, [["_add", path]]))
  form.dispatchEvent(new Event("input"))
  return firstIn(form, path, countOf(form, path) - 1)
}

async function removeRow(form: HTMLFormElement, at: string): Promise<HTMLElement | null> {
  takeFields(form, await drawn(form, [["_remove", at]]))
  form.dispatchEvent(new Event("input"))
  return form.querySelector<HTMLElement>(`button[name=_add][value="${CSS.escape(at.slice(0, at.lastIndexOf("/")))}"]`)
}

/** Lets the buttons of rows work without leaving the page. */
function workRows(form: HTMLFormElement): void {
  form.addEventListener("click", (event) => {
    const button = event.target instanceof HTMLButtonElement ? event.target : null
    if (button === null || (button.name !== "_add" && button.name !== "_remove")) return
    event.preventDefault()
    const done = button.name === "_add" ? addRow(form, button.value) : removeRow(form, button.value)
    done.then(
      (next) => next?.focus(),
      () => {
        // Send the form as it would be sent without the script.
        form.append(made("input", { type: "hidden", name: button.name, value: button.value }))
        form.submit()
      },
    )
  })
}

/** Shows only the chosen case of a variant. The server reads no other. */
function show(variant: Element): void {
  const chosen = variant.querySelector<HTMLSelectElement>(":scope > .field > select")?.value ?? ""
  for (const one of variant.querySelectorAll<HTMLFieldSetElement>(":scope > [data-case]")) {
    one.hidden = one.dataset.case !== chosen
    // A required input that is hidden would block the form.
    one.disabled = one.hidden
  }
}

/** Shows an input only with the option it belongs to. An input with text in it stays visible. */
function showConditional(part: HTMLElement): void {
  const [name = "", wanted = ""] = (part.dataset.only ?? "").split("=")
  const form = part.closest("form")
  const choices = form?.querySelectorAll(`:is(select, input[type=radio])[name="${CSS.escape(name)}"]`) ?? []
  const input = part.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea")
  if (form === null || choices.length === 0) return
  const show = () => {
    delete part.dataset.idle
    part.hidden = !wanted.split(",").includes(String(new FormData(form).get(name) ?? "")) && (input?.value ?? "") === ""
  }
  show()
  for (const choice of choices) choice.addEventListener("change", show)
}

export function showChosenCases(within: ParentNode): void {
  for (const variant of within.querySelectorAll("[data-variant]")) {
    show(variant)
    variant.addEventListener("change", () => show(variant))
  }
  for (const part of within.querySelectorAll<HTMLElement>("[data-only]")) showConditional(part)
}

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

// Previews pasted papers. Text pasted anywhere on the page goes into the box, and the service recognises the papers
// in it.

/** Milliseconds after the last change before the text is sent for a preview. */
const QUIET = 400

export function recogniseAsTyped(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-recognised]")
  const [box, place, button] = [
    form?.querySelector("textarea"),
    document.getElementById("recognised"),
    form?.querySelector<HTMLButtonElement>("button[name=preview]"),
  ]
  if (form == null || box == null || place === null || button == null) return
  button.hidden = true
  const afterPause = after(QUIET)
  const preview = (signal: AbortSignal) =>
    drawn(form, [["preview", "1"]], signal).then(
      (page) => place.replaceChildren(...(page.getElementById("recognised")?.childNodes ?? [])),
      // If the service cannot be reached, the result is shown when the form is sent.
      () => {},
    )
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? ""
    if (
      text === "" ||
      (event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null)
    )
      return
    event.preventDefault()
    box.value = box.value === "" ? text : `${box.value}\n${text}`
    box.dispatchEvent(new Event("input", { bubbles: true }))
    box.focus()
  })
  box.addEventListener("input", () => {
    // The preview of the earlier text no longer applies.
    place.replaceChildren()
    afterPause(box.value.trim() === "" ? undefined : preview)
  })
}

// Files that people choose in forms: texts for a text area, pictures and logs.

/** Reads a chosen file into the text area beside it, where it can be checked before it is sent. */
export function readFiles(): void {
  for (const label of document.querySelectorAll<HTMLElement>("[data-file-into]")) {
    const [input, box] = [label.querySelector("input"), document.getElementById(label.dataset.fileInto ?? "")]
    if (input === null || !(box instanceof HTMLTextAreaElement)) continue
    label.classList.add("ready")
    const take = async (files: FileList | null | undefined) => {
      const [file] = files ?? []
      if (file === undefined) return
      box.value = fileText(new Uint8Array(await file.arrayBuffer()))
      box.dispatchEvent(new Event("input", { bubbles: true }))
      box.focus()
      input.value = ""
    }
    input.addEventListener("change", () => take(input.files))
    box.addEventListener("drop", (event) => {
      if ((event.dataTransfer?.files.length ?? 0) === 0) return
      event.preventDefault()
      void take(event.dataTransfer?.files)
    })
  }
}

/** Uploads a picture or a log from a form, and fills in its digest. */
async function upload(link: HTMLAnchorElement, file: File): Promise<void> {
  const input = link.closest(".field")?.querySelector<HTMLInputElement>("input")
  const { upload: address = "", what = "", sentAs = file.type, most = "" } = link.dataset
  if (!input) return
  if (file.size > Number(most)) {
    link.textContent = `The ${what} is larger than ${Number(most) / 1e6} MB. Choose another.`
    return
  }
  link.textContent = "Uploading…"
  const response = await fetch(address, { method: "POST", body: file, headers: { "content-type": sentAs } })
  const { digest, error }: { digest?: string; error?: string } = await response.json()
  link.textContent = digest === undefined ? (error ?? `The ${what} was not uploaded.`) : `Upload a ${what} again`
  if (digest === undefined) return
  input.value = digest
  input.dispatchEvent(new Event("input", { bubbles: true }))
  input.focus()
}

/** Makes links that upload open a file dialog instead. */
export function takeUploads(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-upload]") : null
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const chooser = made("input", { type: "file", accept: link.dataset.types ?? "" })
    chooser.addEventListener("change", () => {
      const [file] = chooser.files ?? []
      if (file !== undefined)
        upload(link, file).catch(() => (link.textContent = "The service does not answer. Try again."))
    })
    chooser.click()
  })
}
