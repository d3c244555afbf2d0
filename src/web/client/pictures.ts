/** Copies a picture of differences as text, and makes a PNG of its SVG file. */

/** Copies the text at an address. Without the right to, the browser follows the link. */
async function copyFrom(link: HTMLAnchorElement): Promise<void> {
  const response = await fetch(link.href)
  if (!response.ok) return location.assign(link.href)
  try {
    await navigator.clipboard.writeText(await response.text())
  } catch {
    return location.assign(link.href)
  }
  link.classList.add("copied")
  setTimeout(() => link.classList.remove("copied"), 1_500)
}

/** Pixels of the PNG for each pixel of the SVG file. */
const DENSITY = 2

async function saveAsPng(link: HTMLAnchorElement): Promise<void> {
  const image = new Image()
  image.src = link.href
  await image.decode()
  const canvas = document.createElement("canvas")
  canvas.width = image.naturalWidth * DENSITY
  canvas.height = image.naturalHeight * DENSITY
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height)
  canvas.toBlob((blob) => {
    if (blob === null) return
    const saved = document.createElement("a")
    saved.href = URL.createObjectURL(blob)
    saved.download = "table.png"
    saved.click()
    setTimeout(() => URL.revokeObjectURL(saved.href), 10_000)
  }, "image/png")
}

export function copyPictures(): void {
  const reveal = () => {
    for (const link of document.querySelectorAll<HTMLElement>("[data-png]")) link.hidden = false
  }
  reveal()
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-copied], a[data-png]") : null
    if (link === null) return
    event.preventDefault()
    void (link.dataset.png === undefined ? copyFrom(link) : saveAsPng(link))
  })
  // Parts of the page may be replaced by newer ones.
  new MutationObserver(reveal).observe(document.body, { childList: true, subtree: true })
}
