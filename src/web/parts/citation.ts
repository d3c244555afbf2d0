/** How a record is cited: the read's own BibTeX, to copy. */
import { type Html, html } from "../html.ts"
import type { Visit } from "../visit.ts"
import { command, heading, ways } from "./parts.ts"

export function citation(visit: Visit, versionId: string): Html | null {
  const bibtex = visit.ask("record", { versionId }, { format: "bibtex" }) as unknown
  if (typeof bibtex !== "string") return null
  const at = (format: string) => `/api/research/records/${versionId}?format=${format}`
  return html`<section aria-labelledby="cite">${heading(2, "cite", "Cite it")}<details><summary>BibTeX</summary>${command(bibtex.trim())}</details>
    ${ways([
      ["As BibTeX", at("bibtex")],
      ["As CSL-JSON", at("csl")],
    ])}</section>`
}
