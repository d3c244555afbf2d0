/** What a finding shows beyond other records: the denominator, its evidence and what was checked of it. */
import { accepted, type RecordContent } from "../../contract/reads/accepted.ts"
import type { Warning } from "../../contract/answers/warnings.ts"
import type { Execution } from "../../contract/answers/index.ts"
import { blemishesInWords } from "../../contract/answers/blemishes.ts"
import { whyStale } from "../../contract/answers/measurements.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { type Html, html, joined, to } from "../html.ts"
import { inlineMarkdown } from "../markdown.ts"
import { glyph, stateBadge } from "../parts/marks.ts"
import { digest, fromOther, heading, label, table } from "../parts/parts.ts"
import { words } from "../words.ts"

type Answer = AnswerOf<"record">
type Evidence = NonNullable<RecordContent["evidence"]>[number]

/** What else of the experiment the finding names. */
const besides = ({ baseline, cited }: Execution["denominator"]["named"]): string =>
  [baseline > 0 ? `${baseline} as a baseline` : "", cited > 0 ? `${cited} as evidence only` : ""]
    .map((part) => (part === "" ? "" : `(and ${part}) `))
    .join("")

/** "1 of 14 attempts", with how all of them ended. */
function denominator({ denominator: { attempts, named, outcomes }, experimentId, experimentLabel, ...origin }: Execution): Html {
  const ended = (["registered", ...enumerations.attemptOutcome] as const).filter((outcome) => outcomes[outcome] > 0)
  return html`<div class="denominator"><strong>${named.producing} of ${attempts} ${attempts === 1 ? "attempt" : "attempts"}</strong><span>${besides(named)}of ${label("experiment", experimentId, experimentLabel)}${fromOther(origin)}, which ended:</span>${ended.map((outcome) => stateBadge(outcome, `${outcomes[outcome]} ${words(outcome)}`))}</div>`
}

/** What was checked of one piece of evidence, in words. */
function checked(entry: Evidence, index: number, warnings: readonly Warning[], labelOf: (attemptId: string) => string): Html {
  const warning = warnings.find(({ evidence }) => evidence === index)
  switch (entry.kind) {
    case "attempt_output":
      if (warning === undefined)
        return html`${glyph("succeeded")} digest equals output <code>${entry.outputLabel}</code> of ${label("attempt", entry.attemptId, labelOf(entry.attemptId))}`
      return html`<span class="bad">${glyph("failed")} ${warning.code === "output_differs" ? "reported with another digest" : "not reported"}: output <code>${entry.outputLabel}</code> of</span> ${label("attempt", entry.attemptId, labelOf(entry.attemptId))}`
    case "attempt_outcome":
      return html`${warning === undefined ? glyph("succeeded") : glyph("unknown")} ${warning === undefined ? "how it ended is known" : "has no outcome yet"}: ${label("attempt", entry.attemptId, labelOf(entry.attemptId))}`
    case "material":
      return html`${glyph("succeeded")} a <a href="${to(`/materials/${entry.materialId}`)}">registered material</a>`
    case "record":
      return html`${glyph("succeeded")} an exact <a href="${to(`/records/${entry.versionId}`)}">record</a>`
    case "paper":
      return html`${glyph("unknown")} quoted from <a href="${to(`/papers/${encodeURIComponent(entry.arxivId)}`)}">arXiv:${entry.arxivId}</a>, not checked here`
  }
}

function evidence(entries: readonly Evidence[], record: Answer, execution: Execution | null): Html {
  const labelOf = (attemptId: string) => execution?.attempts.find((attempt) => attempt.attemptId === attemptId)?.label ?? "an attempt"
  const rows = entries.map(
    (entry, index) => html`<tr><td>${words(entry.kind)}</td>
    <td>${checked(entry, index, record.warnings, labelOf)}${entry.kind === "attempt_output" ? html`<br>${digest(entry.digest)}` : null}</td>
    <td dir="auto">${inlineMarkdown(entry.kind === "paper" ? `“${entry.quote}”` : entry.explanation)}</td></tr>`,
  )
  return html`<section aria-labelledby="evidence">${heading(2, "evidence", "Evidence")}${rows.length === 0 ? html`<p class="quiet">None was given.</p>` : table("Evidence", ["Kind", "What the service checked", "What the author says"], rows)}</section>`
}

const attempts = ({ attempts: named, planId, planLabel }: Execution): Html =>
  html`<section aria-labelledby="named">${heading(
    2,
    "named",
    "Attempts it names",
    planId === null ? null : html`under plan ${label("plan", planId, planLabel ?? "plan")}`,
  )}
${table(
  "Attempts",
  ["", "Role", "Intent", "Outcome"],
  named.map(
    ({
      attemptId,
      label: text,
      role,
      intent,
      status,
      outcome,
      ...origin
    }) => html`<tr><td>${label("attempt", attemptId, text)}${fromOther(origin)}</td>
  <td>${role}</td><td>${words(intent)}</td><td>${stateBadge(outcome ?? status)}</td></tr>`,
  ),
)}
${named.length < 2 ? null : html`<p><a href="${to(`/attempts/compare?ids=${named.map(({ attemptId }) => attemptId).join(",")}`)}">Compare their metrics and configuration</a></p>`}</section>`

function materials(given: readonly unknown[]): Html | null {
  const cited = accepted("materials", given)
  if (cited.length === 0) return null
  return html`<section aria-labelledby="materials">${heading(2, "materials", "Materials")}<ul>${cited.map(({ material, purpose }) => material && html`<li>${label("material", material.materialId, material.label)}${fromOther(material)} ${material.name} ${stateBadge(material.obtainability)}: ${purpose}</li>`)}</ul>
    </section>`
}

/** The differences that a finding rests on, each with its interval; a stale one with what it is now. */
function effects(found: Answer["effects"]): Html | null {
  if (found.length === 0) return null
  const rows = found.map(
    ({ sentence, experimentId, experimentLabel, staleReason, now, repeats }) =>
      html`<li>${sentence} ${label("experiment", experimentId, experimentLabel)}${
        repeats === null
          ? null
          : html`<br>It repeats ${label("finding", repeats.versionId, repeats.label)}${fromOther(repeats)}. ${repeats.comparison?.sentence}`
      }${staleReason === null ? null : html`<br>${stateBadge("unknown", "stale")} ${whyStale(staleReason, now?.sentence)}`}</li>`,
  )
  return html`<section aria-labelledby="effects">${heading(2, "effects", "Effects")}<ul>${rows}</ul></section>`
}

/** What to know of the runs behind it before relying on it. */
function beforehand({ blemishes }: Answer): Html | null {
  const told = blemishes === null ? null : blemishesInWords(blemishes)
  return told === null
    ? null
    : html`<p class="meta blemishes"><span>${stateBadge("unknown", "before you rely on it")}</span><span>${told}</span></p>`
}

/** The parts of a finding between its wording and its scope. */
export function findingParts(
  record: Answer,
  { evidence: entries = [], provenance, retrospective, limitations }: RecordContent,
  execution: Execution | null,
): Html {
  const papers = provenance?.papers ?? []
  return html`${execution === null ? html`<p class="meta"><span>${stateBadge("unknown", "no execution is named")}</span></p>` : denominator(execution)}
${beforehand(record)}
${effects(record.effects)}
${retrospective === true ? html`<p><span class="tag">retrospective</span> The question was put after the result was known.</p>` : null}
${limitations === undefined ? null : html`<section aria-labelledby="limitations">${heading(2, "limitations", "Limitations")}<p class="said" dir="auto">${inlineMarkdown(limitations)}</p></section>`}
${evidence(entries, record, execution)}
${execution === null ? null : attempts(execution)}
${materials(record.materials)}
${papers.length === 0 ? null : html`<p>Papers: ${joined(papers)}</p>`}`
}
