/** Parts of a record's page: its statement, and of a finding the denominator and the evidence with its checks. */
import type { Assertion, Concepts } from "../../contract/definitions/work.ts"
import { type Content, type Html, html, to, joined, readPath } from "../html.ts"
import type { LinkedNumber } from "../linked-numbers.ts"
import { inlineMarkdown, beginning } from "../markdown.ts"
import { words, counted } from "../words.ts"
import { table, materialList, fold, digest, pictures, fromOther, label } from "../parts/parts.ts"
import { accepted, type RecordContent } from "../../contract/operations/index.ts"
import type { Warning } from "../../contract/answers/receipts.ts"
import type { Execution } from "../../contract/nouns/record-answers.ts"
import { blemishesInWords } from "../../contract/nouns/judging.ts"
import { locatedIn } from "../../contract/definitions/sentence.ts"
import { keysOf } from "../../contract/typed.ts"
import { limits } from "../../contract/limits.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { glyph, stateBadge, stateMark, yesNo } from "../parts/marks.ts"

/** Renders the wording with its concepts underlined and their definitions as tooltips. Formulas and code stay whole. */
export function wording(text: string, concepts: Concepts, numbers: readonly LinkedNumber[] = []): Html {
  const named = Object.entries(concepts).filter(([, { label }]) => label.length > 2)
  if (named.length === 0) return inlineMarkdown(text, numbers)
  const part = (from: number, to?: number) =>
    inlineMarkdown(
      text.slice(from, to),
      numbers.filter(({ start }) => start >= from && start < (to ?? text.length)),
    )
  const longestFirst = named
    .map(([, { label }]) => RegExp.escape(label))
    .sort((one, other) => other.length - one.length)
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join("|")})(?![\\p{L}\\p{N}])`, "giu")
  const rendered: Content[] = []
  let last = 0
  for (const match of text.matchAll(pattern)) {
    const before = text.slice(0, match.index)
    // Nothing is underlined within a formula or code.
    if ((before.match(/(?<!\\)\$/g)?.length ?? 0) % 2 === 1 || (before.match(/`/g)?.length ?? 0) % 2 === 1) continue
    const found = named.find(([, { label }]) => label.toLowerCase() === match[0].toLowerCase())
    if (found === undefined) continue
    const [key, concept] = found
    rendered.push(
      part(last, match.index),
      html`<span class="with-tip">\
<a class="concept" href="#concept-${key}" aria-describedby="tip-${key}-${match.index}">${match[0]}</a>\
<span class="tip" role="tooltip" id="tip-${key}-${match.index}">${concept.definition}</span></span>`,
    )
    last = match.index + match[0].length
  }
  rendered.push(part(last))
  return html`${rendered}`
}

type Value = Assertion["roles"][number]["value"] | Assertion["predicate"]

function roleValue(value: Value, concepts: Concepts, named: (versionId: string) => Content): Content {
  switch (value.type) {
    case "concept":
      return html`<a class="concept" href="#concept-${value.key}">${concepts[value.key]?.label ?? value.key}</a>`
    case "concept_ref":
      return html`<a class="concept" href="${to(`/records/${value.versionId}#concept-${value.key}`)}">\
${words(value.key)}</a>, as ${named(value.versionId)} defines it`
    case "record":
      return named(value.versionId)
    case "decimal":
      return html`${value.value} ${value.unit}`
    case "boolean":
      return value.value ? "yes" : "no"
    case "text":
      return inlineMarkdown(value.value)
  }
}

export const rolesTable = (
  { predicate, roles }: Assertion,
  concepts: Concepts,
  named: (versionId: string) => Content,
): Html =>
  table(
    "Roles",
    ["Role", "What", "Meaning of the role"],
    [
      html`<tr><th scope="row">predicate</th><td>${roleValue(predicate, concepts, named)}</td>\
<td class="quiet">What is said of the roles below.</td></tr>`,
      ...roles.map(
        ({ role, definition, value }) =>
          html`<tr><th scope="row">${words(role)}</th><td>${roleValue(value, concepts, named)}</td>\
<td class="quiet">${definition}</td></tr>`,
      ),
    ],
  )

/** The concepts that a record defines, each with an anchor. Null if it borrows all of them. */
export const conceptList = (concepts: Concepts): Html | null =>
  Object.keys(concepts).length === 0
    ? null
    : html`<dl class="facts">${Object.entries(concepts).map(
        ([key, { label, definition }]) => html`<div id="concept-${key}"><dt>\
<dfn>${label}</dfn>${label === key ? null : html`<br><code>${key}</code>`}</dt>
    <dd>${inlineMarkdown(definition)}</dd></div>`,
      )}</dl>`

// A finding: what other records lack.

type Answer = AnswerOf<"record">
type Evidence = NonNullable<RecordContent["evidence"]>[number]

const alsoNamed = ({ baseline, cited }: Execution["denominator"]["named"]): string =>
  [baseline > 0 ? `${baseline} as a baseline` : "", cited > 0 ? `${cited} as evidence only` : ""]
    .map((part) => (part === "" ? "" : `(and ${part}) `))
    .join("")

/** "Since then: 3 attempts, 2 reproductions": what the finding could not be chosen from. */
function sinceThen({ attempts, reproductions }: Execution["denominator"]["later"]): Html | null {
  const counts = [
    ...(attempts === 0 ? [] : [counted(attempts, "attempt")]),
    ...(reproductions === 0 ? [] : [counted(reproductions, "reproduction")]),
  ]
  return counts.length === 0 ? null : html` <span class="meta">Since then: ${counts.join(", ")}</span>`
}

/** Renders "1 of 14 attempts", with the outcomes of all of them, and counts what came later. */
function denominator({
  denominator: { attempts, named, outcomes, later },
  experimentId,
  experimentLabel,
  ...origin
}: Execution): Html {
  const ended = (["registered", ...enumerations.attemptOutcome] as const).filter((outcome) => outcomes[outcome] > 0)
  return html`<div class="denominator">\
<strong>${named.producing} of ${attempts} ${attempts === 1 ? "attempt" : "attempts"}</strong>\
<span>${alsoNamed(named)}of ${label("experiment", experimentId, experimentLabel)}\
${fromOther(origin)}, made before it:</span>\
${ended.map((outcome) => stateBadge(outcome, `${outcomes[outcome]} ${words(outcome)}`))}${sinceThen(later)}</div>`
}

function checked(
  entry: Evidence,
  index: number,
  warnings: readonly Warning[],
  linked: (attemptId: string) => Html,
): Html {
  const warning = warnings.find(({ evidence }) => evidence === index)
  switch (entry.kind) {
    case "attempt_output":
      if (warning === undefined)
        return html`${glyph("succeeded")} digest equals output <code>\
${entry.outputLabel}</code> of ${linked(entry.attemptId)}`
      return html`<span class="bad">\
${glyph("failed")} ${warning.code === "output_differs" ? "reported with another digest" : "not reported"}: output \
<code>${entry.outputLabel}</code> of</span> ${linked(entry.attemptId)}`
    case "attempt_outcome":
      return html`${warning === undefined ? glyph("succeeded") : glyph("unknown")} \
${warning === undefined ? "how it ended is known" : "has no outcome yet"}: ${linked(entry.attemptId)}`
    case "attempt_log": {
      const lines = entry.lines[0] === entry.lines[1] ? `line ${entry.lines[0]}` : `lines ${entry.lines.join(" to ")}`
      const [from = 1, last = 1] = entry.lines
      const query = {
        from,
        lines: Math.min(limits.logLines, last - from + 1),
        digest: entry.digest,
        format: "text",
      } as const
      return html`${glyph("succeeded")} \
<a href="${to(readPath("attempt_log", { attemptId: entry.attemptId }, query))}">\
${lines}</a> of the log of ${linked(entry.attemptId)}`
    }
    case "material":
      return html`${glyph("succeeded")} a <a href="${to(`/materials/${entry.materialId}`)}">registered material</a>`
    case "record":
      return html`${glyph("succeeded")} an exact <a href="${to(`/records/${entry.versionId}`)}">record</a>`
    case "paper":
      return html`${glyph("unknown")} quoted from \
<a href="${to(`/papers/${encodeURIComponent(entry.arxivId)}`)}">arXiv:${entry.arxivId}</a>\
${locatedIn(entry.locator)}, not checked here`
  }
}

function evidence(entries: readonly Evidence[], record: Answer, execution: Execution | null): Html | null {
  const linked = (attemptId: string) =>
    label(
      "attempt",
      attemptId,
      execution?.attempts.find((attempt) => attempt.attemptId === attemptId)?.label ?? "an attempt",
    )
  const rows = entries.map(
    (entry, index) => html`<tr><td>${words(entry.kind)}</td>
    <td>${checked(entry, index, record.warnings, linked)}\
${entry.kind === "attempt_output" ? html`<br>${digest(entry.digest)}` : null}</td>
    <td dir="auto">${inlineMarkdown(entry.kind === "paper" ? `“${entry.quote}”` : entry.explanation)}</td></tr>`,
  )
  if (rows.length === 0) return null
  const outputs = entries.flatMap((entry, index) => (entry.kind === "attempt_output" ? [index] : []))
  const differing = outputs.filter((index) => record.warnings.some((warning) => warning.evidence === index)).length
  const hashes = counted(outputs.length, "output hash matches", "output hashes match")
  const matching = `${outputs.length - differing} of ${hashes}`
  const digests = outputs.length === 0 ? undefined : yesNo(differing === 0, matching, matching)
  const all = table("Evidence", ["Kind", "What the service checked", "What the author says"], rows)
  return fold("evidence", "Evidence", html`${counted(rows.length, "piece")} ${digests}`, all)
}

const roles = { producing: "Result of", baseline: "Compared with", evidence: "Cited as evidence only" } as const

function attempts({ attempts: named, planId, planLabel }: Execution): Html | null {
  const lines = keysOf(roles).flatMap((role) => {
    const found = named.filter((attempt) => attempt.role === role)
    const links = found.map(
      ({ attemptId, label: text, status, outcome, ...origin }) =>
        html`<span class="attempt">${stateMark(outcome ?? status)}${label("attempt", attemptId, text)}\
${fromOther(origin)}</span> `,
    )
    return found.length === 0 ? [] : [html`<li>${roles[role]} ${links}</li>`]
  })
  const ids = named.map(({ attemptId }) => attemptId).join(",")
  const compare = named.length < 2 ? null : html`<a href="${to(`/attempts/compare?ids=${ids}`)}">Compare them</a>`
  const plan = planId === null ? null : html`under plan ${label("plan", planId, planLabel ?? "plan")}`
  return fold("named", "Attempts", named.length, html`<ul class="uses">${lines}</ul><p>${plan} ${compare}</p>`)
}

function beforehand({ blemishes }: Answer): Content {
  const text = blemishes && blemishesInWords(blemishes)
  return (
    text &&
    html`<p class="meta blemishes"><span>${stateBadge("unknown", "before you rely on it")}</span>\
<span>${text}</span></p>`
  )
}

/** What a finding rests on in a glance: how many of how many attempts, and what to know before relying on it. */
export const reliedOn = (record: Answer): Html =>
  html`${
    record.execution === null
      ? html`<p class="meta"><span>${stateBadge("unknown", "no execution is named")}</span></p>`
      : denominator(record.execution)
  }${beforehand(record)}`

/** Renders what a finding was published with, folded. */
export function findingParts(
  record: Answer,
  { evidence: entries = [], provenance, retrospective, limitations, figures }: RecordContent,
  execution: Execution | null,
  said: (text: string) => readonly LinkedNumber[],
): Html {
  const papers = provenance?.papers ?? []
  return html`${pictures({ figures })}
${
  retrospective === true
    ? html`<p><span class="tag">retrospective</span> The question was asked after the result was known.</p>`
    : null
}
${fold(
  "limitations",
  "Limitations",
  limitations && beginning(limitations, 90),
  limitations && html`<p class="said" dir="auto">${inlineMarkdown(limitations, said(limitations))}</p>`,
)}
${evidence(entries, record, execution)}
${execution === null ? null : attempts(execution)}
${fold("materials", "Materials", record.materials?.length, materialList(accepted("materials", record.materials)))}
${papers.length === 0 ? null : html`<p>Papers: ${joined(papers)}</p>`}`
}
