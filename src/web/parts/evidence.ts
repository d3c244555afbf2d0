/** What findings say toward hypotheses and questions, as the links between them tell it. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { enumerations } from "../../contract/enumerations.ts"
import { type Html, html } from "../html.ts"
import { inlineMarkdown } from "../markdown.ts"
import { shortened, words } from "../words.ts"
import { shape, stateBadge } from "./marks.ts"
import { label, person } from "./parts.ts"

export type FindingLink = AnswerOf<"room_context">["findingLinks"][number]

/** The links that say something toward one hypothesis, with their verdict. */
export const toward = (links: readonly FindingLink[], versionId: string) =>
  links.flatMap((link) =>
    link.towardHypothesis.filter((verdict) => verdict.versionId === versionId).map((verdict) => ({ link, ...verdict })),
  )

/** "2 support, 1 contradicts": each verdict with its count. */
export function tally(verdicts: readonly { readonly verdict: string }[]): Html {
  if (verdicts.length === 0) return stateBadge("open", "no finding yet")
  const counts = enumerations.hypothesisVerdict.map(
    (verdict) => [verdict, verdicts.filter((said) => said.verdict === verdict).length] as const,
  )
  return html`${counts.filter(([, count]) => count > 0).map(([verdict, count]) => html`${stateBadge(verdict, `${count} ${words(verdict)}`)} `)}`
}

const fallen = ({ finding }: FindingLink) =>
  finding.status === "current" ? null : html` <span class="state bad">${shape(finding.status)}${finding.status}</span>`

/** One row for each finding: its verdict, what it says, and where it was found out. */
export const evidenceRows = (verdicts: ReturnType<typeof toward>): Html | null =>
  verdicts.length === 0
    ? null
    : html`<ul class="evidence">${verdicts.map(
        ({ link, verdict, explanation }) =>
          html`<li>${stateBadge(verdict)}<div>${label("finding", link.finding.versionId, link.finding.label)}${fallen(link)} ${inlineMarkdown(shortened(link.finding.wording, 200))} <span class="explained">${explanation} From ${label("experiment", link.experimentId, link.experimentLabel)}${
            link.attemptId === null ? null : html`, ${label("attempt", link.attemptId, link.attemptLabel ?? "attempt")}`
          }, said by ${person(link.author)}${
            link.reviewedBy.length === 0 ? null : html`, answered by ${link.reviewedBy.join(", ")}`
          }.</span></div>
      </li>`,
      )}</ul>`
