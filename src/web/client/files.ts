/** Reads a chosen file into the text area beside it, where it can be checked before it is sent. */
export function readFiles(): void {
  for (const label of document.querySelectorAll<HTMLElement>("[data-file-into]")) {
    const [input, box] = [label.querySelector("input"), document.getElementById(label.dataset.fileInto ?? "")]
    if (input === null || !(box instanceof HTMLTextAreaElement)) continue
    label.classList.add("ready")
    input.addEventListener("change", async () => {
      const [file] = input.files ?? []
      if (file === undefined) return
      box.value = await file.text()
      box.dispatchEvent(new Event("input", { bubbles: true }))
      box.focus()
      input.value = ""
    })
  }
}
