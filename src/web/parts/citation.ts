/** How a record is cited. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { Visit } from "../visit.ts"
import { type Html, html } from "../html.ts"
import { command, heading } from "./parts.ts"

const latex = (text: string) => text.replace(/[\\{}]/g, (sign) => `\\${sign}`).replace(/\s+/g, " ")

/** BibTeX that says where the record stands and, if it has fallen, that it has. */
export function bibtex(record: AnswerOf<"record">, roomTitle: string, wording: string, baseUrl: string): string {
  const { label, author, createdAt, versionId, status, contentDigest } = record
  const fields = [
    ["author", author.username],
    ["title", `{${latex(wording)}}`],
    ["howpublished", `Research Room: ${latex(roomTitle)}, ${label}`],
    ["year", createdAt.slice(0, 4)],
    ["month", String(Number(createdAt.slice(5, 7)))],
    ["url", `${baseUrl}/records/${versionId}`],
    ["note", `${contentDigest}${status === "current" ? "" : `; ${status}`}`],
  ]
  return `@misc{${author.username.replace(/[^a-z0-9]/g, "")}${createdAt.slice(0, 4)}${label},\n${fields.map(([name, value]) => `  ${name} = {${value}},`).join("\n")}\n}`
}

export const citation = ({ edge }: Visit, record: AnswerOf<"record">, roomTitle: string, wording: string): Html =>
  html`<section aria-labelledby="cite">${heading(2, "cite", "Cite it")}<details><summary>BibTeX</summary>${command(bibtex(record, roomTitle, wording, edge.baseUrl))}</details></section>`
