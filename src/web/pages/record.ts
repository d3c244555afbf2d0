/** One record: its standing above everything, its wording, what it rests on, its evidence and what became of it. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { Concepts } from "../../contract/science.ts"
import { linkKinds } from "../../contract/operations/link-kinds.ts"
import { entryPath } from "../addresses.ts"
import { type Content, type Html, html, joined, to } from "../html.ts"
import { inlineMarkdown } from "../markdown.ts"
import { act, forMembers } from "../parts/actions.ts"
import { conceptList, rolesTable, wording } from "../parts/assertion.ts"
import { standing } from "../parts/entry.ts"
import { evidenceRows, tally, toward } from "../parts/evidence.ts"
import { stateBadge } from "../parts/marks.ts"
import { digest, exactTime, facts, heading, label, person, recordChip, ways } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import { citation } from "../parts/citation.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted, shortened, title, words } from "../words.ts"
import { type Execution, findingParts, type RecordContent } from "./finding-parts.ts"

type Answer = AnswerOf<"record">

function warnings(given: readonly unknown[]): Html | null {
  if (given.length === 0) return null
  return html`<ul class="warnings" aria-label="Warnings">${(
    given as readonly { message: string; versionId?: string; kind?: string; attemptId?: string }[]
  ).map(
    ({ message, versionId, attemptId }) =>
      html`<li>${message}${versionId === undefined ? null : html` <a href="${to(`/records/${versionId}`)}">Read it</a>`}${
        attemptId === undefined ? null : html` <a href="${to(`/attempts/${attemptId}`)}">See the attempt</a>`
      }</li>`,
  )}</ul>`
}

type Resolved = Answer["references"][number]
const rests = (id: string, name: string, records: readonly Resolved[]): Html | null =>
  records.length === 0
    ? null
    : html`<section aria-labelledby="${id}">${heading(2, id, name)}<ul class="cards">${records.map(
        (record) => html`<li>${
          record.purpose === undefined ? null : html`<span class="tag">${words(record.purpose)}</span> `
        }${recordChip(record, 160)}<p class="said">${record.explanation}</p>
      </li>`,
      )}</ul></section>`

/** Names of records that the content mentions, by id. */
const namer =
  ({ premises, references }: Answer) =>
  (versionId: string): Content => {
    const known = [...premises, ...references].find((record) => record.versionId === versionId)
    return known === undefined
      ? html`<a href="${to(`/records/${versionId}`)}">another record</a>`
      : label(known.kind, known.versionId, known.label)
  }

const used = ({ usedBy }: Answer): Html => {
  const parts = [
    [usedBy.premises, "premise", "premises"],
    [usedBy.references, "reference", "references"],
    [usedBy.evidence, "evidence", "evidence"],
    [usedBy.reuses, "reuse", "reuses"],
  ] as const
  const said = parts.filter(([count]) => count > 0).map(([count, one, several]) => counted(count, one, several))
  return html`${said.length === 0 ? "nowhere yet" : joined(said)}`
}

function evidenceToward(visit: Visit, record: Answer): Html | null {
  if (record.kind !== "hypothesis") return null
  const { findingLinks } = visit.ask("room_context", { roomId: record.roomId })
  const verdicts = toward(findingLinks, record.versionId)
  return html`<section aria-labelledby="toward">${heading(2, "toward", "Evidence toward it", tally(verdicts))}${evidenceRows(verdicts) ?? html`<p class="quiet">No finding has been related to it yet.</p>`}</section>`
}

/** The four things that can be said later about a record. */
const later = (versionId: string): Html =>
  html`${Object.values(linkKinds).map(({ operation }) => act(operation, { targetVersionId: versionId }))}`

export function recordPage(visit: Visit): Shown {
  const record = visit.ask("record", visit.params)
  const room = visit.ask("room", { roomId: record.roomId })
  const content = record.content as unknown as RecordContent
  const { assertion, concepts, scope } = content
  const { versionId, kind } = record
  const execution = record.execution as Execution | null
  const onwards = [
    kind === "hypothesis"
      ? act("propose_experiment", { roomId: record.roomId, threadId: record.threadId, hypotheses: versionId }, "Propose an experiment")
      : null,
    kind === "finding"
      ? act("link_experiment_finding", { findingVersionId: versionId, experimentId: execution?.experimentId }, "Relate to an experiment")
      : null,
    act("reuse_record", { versionId, threadId: room.openingThreadId }, "Reuse it in a Thread"),
  ]
  return {
    title: `${record.label}: ${shortened(assertion.wording, 80)}`,
    rail: roomRail(room),
    json: `/api/research/records/${versionId}`,
    follow: { roomId: record.roomId, after: room.activityWatermark },
    body: html`<div id="live-standing" data-live>${standing(record)}</div>
<p class="meta"><span><span class="label">${record.label}</span> ${words(kind)}</span>${
      record.outcome === null ? null : html`<span>${stateBadge(record.outcome)}</span>`
    }<span>${person(record.author)}</span><span>${exactTime(record.createdAt)}</span><span>in <a href="${to(`/rooms/${record.roomId}`)}">${room.title}</a></span></p>
<h1 class="statement">${wording(assertion.wording, concepts as Concepts)}</h1>
${warnings(record.warnings)}
${kind === "finding" ? findingParts(record, content, execution) : null}
${
  content.quote === undefined
    ? null
    : html`<section aria-labelledby="quote">${heading(2, "quote", "What the paper says")}<blockquote class="said">${content.quote}</blockquote>
  <p class="meta"><span><a href="${to(`/papers/${encodeURIComponent(content.paper?.arxivId ?? "")}`)}">arXiv:${content.paper?.arxivId}</a>${content.paper?.version === undefined ? null : ` version ${content.paper.version}`}</span>${Object.entries(
    content.locator ?? {},
  ).map(([part, at]) => html`<span>${part} ${at}</span>`)}</p>
  </section>`
}
${evidenceToward(visit, record)}
<section aria-labelledby="scope">${heading(2, "scope", "Scope")}<p class="said">${inlineMarkdown(scope)}</p></section>
<section aria-labelledby="roles">${heading(2, "roles", "What is said of what")}${rolesTable(assertion, concepts as Concepts, namer(record))}</section>
<section aria-labelledby="concepts">${heading(2, "concepts", "Concepts")}${conceptList(concepts as Concepts)}</section>
${rests("premises", "Premises", record.premises)}
${rests("references", "References", record.references)}
<section aria-labelledby="about">${heading(2, "about", "About this record")}${facts([
      ["Provenance", record.provenanceSummary],
      ["Standing", stateBadge(record.status)],
      ["Used by others", used(record)],
      ["Published at", html`<a href="${to(entryPath(record.threadId, record.entryId))}">its place in the Thread</a>`],
      ["Content digest", digest(record.contentDigest)],
      record.client === undefined
        ? null
        : ["Sent by", joined(Object.entries(record.client).map(([name, value]) => `${words(name)} ${value}`))],
    ])}</section>
${citation(visit, versionId)}
<section aria-labelledby="next">${heading(2, "next", "What can be said of it")}${forMembers(visit, room, html`${later(versionId)}${onwards}`)}</section>
${ways([
  ["JSON", `/api/research/records/${versionId}`],
  [`${title(kind)} in the graph`, `/rooms/${record.roomId}/graph?focus=${versionId}`],
])}`,
  }
}
