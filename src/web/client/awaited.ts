/** An agent's first request: the page that tells of it is asked for again until it has come. */
const PAUSE = 2_000
/** Looks, after which the page leaves it to a reload: 20 minutes of them. */
const MOST = 600

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE))

/** Waits on the page that the part names, and takes the part over once it changed. */
export async function awaitRequest(): Promise<void> {
  for (let look = 0; look < MOST; look += 1) {
    const part = document.querySelector<HTMLElement>("[data-awaits]")
    const address = part?.dataset.awaits ?? ""
    if (part === null || address === "") return
    await pause()
    if (document.hidden) continue
    const response = await fetch(address, { headers: { accept: "text/html" }, cache: "no-store" }).catch(() => undefined)
    if (response?.ok !== true) continue
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById(part.id)
    if (fresh === null || fresh.innerHTML === part.innerHTML) continue
    part.replaceChildren(...[...fresh.childNodes].map((child) => document.importNode(child, true)))
    part.dataset.awaits = fresh.dataset.awaits ?? ""
  }
}
