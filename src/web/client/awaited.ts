/** Polls for an agent's first request, and updates the part of the page that waits for it. */
import { pageIn } from "./page.ts"

const PAUSE = 2_000
/** Polling stops after this many requests: 20 minutes. */
const MOST = 600

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE))

/** Polls the page at the part's address, and replaces the part when it changes. */
export async function awaitRequest(): Promise<void> {
  for (let request = 0; request < MOST; request += 1) {
    const part = document.querySelector<HTMLElement>("[data-awaits]")
    const address = part?.dataset.awaits ?? ""
    if (part === null || address === "") return
    await pause()
    if (document.hidden) continue
    const response = await fetch(address, { headers: { accept: "text/html" }, cache: "no-store" }).catch(
      () => undefined,
    )
    if (response?.ok !== true) continue
    const fresh = (await pageIn(response)).getElementById(part.id)
    if (fresh === null || fresh.innerHTML === part.innerHTML) continue
    part.replaceChildren(...fresh.childNodes)
    part.dataset.awaits = fresh.dataset.awaits ?? ""
  }
}
