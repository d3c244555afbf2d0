/** Renders the uses of a record, the warnings about it, and how to cite it. */
import type { Warning } from "../../contract/answers/warnings.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { readPath } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { beginning } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { words } from "../words.ts"
import { glyph, stateBadge } from "./marks.ts"
import { command, fromOther, label, named, time, ways } from "./parts.ts"

type Use = AnswerOf<"record_uses">["items"][number]
/** How an object uses a record, as the end of a sentence that begins with the object. */
const uses: { readonly [H in Use["how"]]: string } = {
  premise: "takes it as a premise",
  reference: "refers to it",
  evidence: "cites it as evidence",
  role: "refers to it in its statement",
  reuse: "reuses it",
  verdict: "says what a finding means for it",
  reproduction: "sets out to reproduce it",
  plan_premise: "takes it as a premise",
  plan_hypothesis: "tests it",
  addressed: "addresses it",
  citation: "cites it",
  replacement: "names it as a replacement",
  dispute_evidence: "cites it as evidence",
}

function use({ how, by, at }: Use): Html {
  const name = by.label ?? (by.kind === "entry" ? "A Thread" : words(by.kind))
  const status =
    by.status === null || ["current", "asserted"].includes(by.status) ? null : html` ${stateBadge(by.status)}`
  return html`<li>${named(by.kind, by.id, name)}${fromOther(by)}${status} ${uses[how]}\
${by.wording === null ? null : html`: ${beginning(by.wording, 140)}`} <span class="clocks">${time(at)}</span></li>`
}
export const useList = (items: readonly Use[]): Html => html`<ul class="uses">${items.map(use)}</ul>`

/** Renders a warning about a record as a sentence with links. */
export function warning({
  code,
  message,
  versionId,
  label: name,
  kind,
  status,
  answered,
  through,
  attemptId,
}: Warning): Html {
  if (versionId !== undefined && name !== undefined && status !== undefined && code.includes("rests_on_"))
    return html`<li>${glyph(status)} It rests on ${label(kind ?? "record", versionId, name)}, which is ${status}\
${answered === undefined ? null : " (its author has answered)"}${
  through === undefined
    ? null
    : html`, through ${
        through.planId === undefined
          ? label("record", through.versionId ?? "", through.label)
          : label("plan", through.planId, through.label)
      }`
}.</li>`
  return html`<li>${message}\
${versionId === undefined ? null : html` <a href="${to(`/records/${versionId}`)}">Read it</a>`}${
  attemptId === undefined ? null : html` <a href="${to(`/attempts/${attemptId}`)}">See the attempt</a>`
}</li>`
}

/** The BibTeX entry of a record, to copy, and links to it in other formats. */
export function citation(visit: Visit, versionId: string): Html {
  const bibtex = visit.text("record", { versionId }, { format: "bibtex" })
  const at = (format: string) => readPath("record", { versionId }, { format })
  return html`<details><summary>BibTeX</summary>${command(bibtex.trim())}</details>${ways([
    ["As BibTeX", at("bibtex")],
    ["As CSL-JSON", at("csl")],
  ])}`
}
