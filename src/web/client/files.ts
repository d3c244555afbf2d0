/** Files that people choose in forms: texts for a text area, pictures and logs. */
import { fileText } from "../../contract/text.ts"
import { made } from "./page.ts"

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
