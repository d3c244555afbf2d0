/** A record: its content, its standing, its evidence, and the records it builds on. */
import { whyStale } from "../contract/answers/measurements.ts"
import { locatedIn, partInWords } from "../contract/definitions/sentence.ts"
import { accepted, type RecordContent } from "../contract/operations/index.ts"
import { independenceInWords, tallyInWords } from "../contract/answers/evidence.ts"
import { reviewedInWords, withoutEvidence } from "../contract/nouns/reviews.ts"
import { blemishesInWords } from "../contract/nouns/judging.ts"
import { writerName, verdictInWords } from "../contract/answers/parts.ts"
import { pathTo } from "../contract/reads/index.ts"
import { besideInWords } from "../research/measurements/effects.ts"
import {
  pictureLines,
  linkTo,
  quoted,
  recordLine,
  inline,
  words,
  assemble,
  reviewsOf,
  type DocumentSource,
} from "./writing.ts"

const LISTED = 50

/** A piece of a finding's evidence, and what its author says of it. */
function shownBy(source: DocumentSource, piece: NonNullable<RecordContent["evidence"]>[number]): string {
  if (piece.kind === "paper") return `arXiv:${piece.arxivId}${locatedIn(piece.locator)}: ${inline(piece.quote)}`
  const [kind, id] =
    piece.kind === "material"
      ? ["material", piece.materialId]
      : piece.kind === "record"
        ? ["finding", piece.versionId]
        : ["attempt", piece.attemptId]
  const which =
    piece.kind === "attempt_output"
      ? ` ${inline(piece.outputLabel)}`
      : piece.kind === "attempt_log"
        ? `, lines ${piece.lines.join(" to ")}`
        : ""
  return `${linkTo(source, kind, id, words(piece.kind))}${which}: ${inline(piece.explanation)}`
}

export function recordDocument(source: DocumentSource): string {
  const { basePath, ask } = source
  const record = ask("record", { versionId: source.id("versionId") })
  const {
    versionId,
    kind,
    label,
    author,
    createdAt,
    status,
    outcome,
    evidenceTally,
    verdict,
    verdictFrom = null,
  } = record
  const content = accepted("record", record.content)
  const { assertion, scope, concepts, quote, paper, locator, limitations, evidence = [], provenance } = content
  const { items: bearing, hasMore } = ask("record_evidence", { versionId }, { limit: LISTED })
  const link = (path: string) => `${basePath}${path}`
  const at = { versionId }
  const rests = [
    ...record.premises.map((premise) => ({ ...premise, purpose: "premise" })),
    ...record.references.map((reference) => ({ ...reference, purpose: reference.purpose ?? "reference" })),
  ]
  const says = verdict === undefined ? "" : `Verdict: ${verdictInWords({ verdict, verdictFrom })}. `
  const blemishes = record.blemishes === null ? null : blemishesInWords(record.blemishes)
  const head = `# ${label}: ${inline(assertion.wording, 300)}

${words(kind)} ${versionId}, ${status}${outcome === null ? "" : `, ${outcome}`}, by ${writerName(author)}, \
${createdAt.slice(0, 10)}, in ${linkTo(source, "thread", record.threadId, "its Thread")} of \
${linkTo(source, "room", record.roomId, "its Room")}.

${quoted(assertion.wording)}

Scope:

${quoted(scope)}
${quote === undefined ? "" : `\nThe paper (arXiv:${paper?.arxivId}${locatedIn(locator)}) says:\n\n${quoted(quote)}\n`}\
${limitations === undefined ? "" : `\nLimitations:\n\n${quoted(limitations)}\n`}
${says}Evidence: ${tallyInWords(evidenceTally, author.username) ?? withoutEvidence(record.reviewed)}. \
${record.provenanceSummary}${record.reviewed === undefined ? "" : ` Review: ${reviewedInWords(record.reviewed)}.`}\
${blemishes === null ? "" : ` Before you rely on it: ${blemishes}.`}
`
  return assemble(
    head,
    [
      { title: "Pictures", items: pictureLines(source, content) },
      {
        title: "Effects",
        items: record.effects.map(
          ({ sentence, experimentId, experimentLabel, staleReason, now, repeats, inTable, unit, ...repeated }) =>
            `${inline(sentence, 500)}${inline(besideInWords(inTable, repeated, unit), 500)} ` +
            `(${linkTo(source, "experiment", experimentId, experimentLabel)})` +
            `${
              repeats === null
                ? ""
                : `. It repeats ${linkTo(source, "finding", repeats.versionId, repeats.label, repeats)}: ` +
                  `${inline(repeats.comparison?.sentence ?? "nothing is left to compare")}`
            }${
              staleReason === null
                ? ""
                : `. Stale: ${whyStale(staleReason, now === null ? undefined : inline(now.sentence, 500))}`
            }`,
        ),
      },
      {
        title: "Corrections, retractions and disputes",
        items: record.notices.map(
          (notice) =>
            `${linkTo(source, "link", notice.linkId, notice.label, notice)}: ` +
            `${writerName(notice.author)} ${notice.kind} ` +
            `it${notice.part === undefined ? "" : ` in ${inline(partInWords(notice.part))}`}, ` +
            `${notice.at.slice(0, 10)}${notice.withdrawn === undefined ? "" : " (withdrawn)"}` +
            `${notice.answered === undefined ? "" : ` (answered by its author's ${notice.answered.by})`}: ` +
            `${inline(notice.explanation)}` +
            `${notice.correction === null ? "" : ` Correction: ${inline(notice.correction)}`}` +
            `${
              notice.replacementVersionId === null
                ? ""
                : ` Replaced by ${linkTo(source, kind, notice.replacementVersionId, "this")}.`
            }`,
        ),
      },
      { title: "Warnings", items: record.warnings.map(({ code, message }) => `${code}: ${inline(message)}`) },
      {
        title: "Evidence",
        items: bearing.map(
          ({ verdict, by, part, author: speaker, explanation, comparison, independence, standing, at: when }) =>
            `${words(verdict ?? "no verdict yet")}, ${linkTo(source, by.kind, by.id, by.label, by)} ` +
            `${part === undefined ? "" : `${inline(part)} `}` +
            `(${writerName(speaker)}, ${when.slice(0, 10)}; ` +
            `${independenceInWords(independence, speaker.username)}` +
            `${standing === "counted" ? "" : `, ${words(standing)}`}): ` +
            `${inline(explanation ?? by.wording ?? "")}` +
            `${comparison === undefined ? "" : ` By the numbers: ${inline(comparison)}`}`,
        ),
        all: { link: link(pathTo("record_evidence", at)), count: bearing.length + (hasMore ? 1 : 0) },
      },
      {
        title: "What shows it",
        items: [
          ...evidence.map((piece) => shownBy(source, piece)),
          ...accepted("materials", record.materials).map(
            ({ material, purpose }) =>
              `material ${material === null ? "" : linkTo(source, "material", material.materialId, material.label)}: ` +
              inline(purpose),
          ),
          ...(provenance?.papers ?? []).map((paper) => `draws on ${inline(paper)}`),
        ],
      },
      reviewsOf(record),
      {
        title: "Premises and references",
        items: rests.map(
          (each) => `${words(each.purpose)} ${recordLine(source, each, 300)} ${inline(each.explanation)}`,
        ),
      },
      {
        title: "Roles",
        items: assertion.roles.map(
          ({ role, definition, value }) =>
            `${role}: ${inline(JSON.stringify(value), 300)} (${inline(definition, 300)})`,
        ),
      },
      {
        title: "Concepts",
        items: Object.entries(concepts).map(
          ([key, concept]) => `${key} (${inline(concept.label)}): ${inline(concept.definition)}`,
        ),
      },
    ],
    link(pathTo("record", at)),
  )
}
