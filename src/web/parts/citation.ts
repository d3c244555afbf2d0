/** The BibTeX entry of a record, to copy, and links to it in other formats. */
import { readPath } from "../addresses.ts"
import { type Html, html } from "../html.ts"
import type { Visit } from "../visit.ts"
import { command, ways } from "./parts.ts"

export function citation(visit: Visit, versionId: string): Html {
  const bibtex = visit.text("record", { versionId }, { format: "bibtex" })
  const at = (format: string) => readPath("record", { versionId }, { format })
  return html`<details><summary>BibTeX</summary>${command(bibtex.trim())}</details>${ways([
    ["As BibTeX", at("bibtex")],
    ["As CSL-JSON", at("csl")],
  ])}`
}
