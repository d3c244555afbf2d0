/** The page of a record: its standing first, then its wording, what it rests on, its evidence and its later history. */
import { accepted } from "../../contract/reads/accepted.ts"
import { groundingPurposes, speakingPurposes } from "../../contract/answers/evidence.ts"
import { verdictFromInWords } from "../../contract/answers/verdict.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { linkKinds } from "../../contract/operations/link-kinds.ts"
import { entryPath, withQuery } from "../addresses.ts"
import { attributes, type Content, type Html, html, joined, to } from "../html.ts"
import { phrase } from "../markdown.ts"
import { act, doing, forMembers } from "../parts/actions.ts"
import { conceptList, rolesTable, wording } from "../parts/assertion.ts"
import { standing } from "../parts/entry.ts"
import { evidenceList } from "../parts/evidence.ts"
import { doubts, downstream, failures, isUntried, strength, untried } from "../parts/judging.ts"
import { linkedIn, nextAct, steps } from "../parts/guide.ts"
import { nextOfRecord } from "../parts/next-acts.ts"
import { stateBadge } from "../parts/marks.ts"
import { digest, exactTime, facts, heading, label, more, person, recordChip, ways } from "../parts/parts.ts"
import { aboutRecord } from "../about.ts"
import { reviewLine, reviewSection } from "../parts/reviews.ts"
import { roomRail } from "../parts/room-frame.ts"
import { useList, warning } from "../parts/uses.ts"
import { takeBack } from "../parts/withdrawal.ts"
import { mayWithhold, withholdLink } from "../parts/withholding.ts"
import { citation } from "../parts/citation.ts"
import type { Shown, Visit } from "../visit.ts"
import { shortened, title, words } from "../words.ts"
import { findingParts } from "./finding-parts.ts"

type Answer = AnswerOf<"record">

/** What a hypothesis comes to so far, and from whose words. */
const verdictOf = ({ verdict, verdictFrom }: Answer): Html | null =>
  verdict === undefined
    ? null
    : html`<p class="meta verdict"><span>${stateBadge(verdict)}</span>${verdictFrom ? html`<span>${verdictFromInWords(verdictFrom)}</span>` : null}</p>`

const warnings = (given: Answer["warnings"]): Html | null =>
  given.length === 0 ? null : html`<ul class="warnings" aria-label="Warnings">${given.map(warning)}</ul>`

type Resolved = Answer["references"][number]
const rests = (id: string, name: string, records: readonly Resolved[]): Html | null =>
  records.length === 0
    ? null
    : html`<section aria-labelledby="${id}">${heading(2, id, name)}<ul class="cards">${records.map(
        (record) => html`<li>${
          record.purpose === undefined ? null : html`<span class="tag">${words(record.purpose)}</span> `
        }${recordChip(record, 160)}<p class="said" dir="auto">${record.explanation}</p>
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

/** How many items the page of a record shows of each list. */
const LISTED = 20

const onwardsOf = (versionId: string, name: string, cursor: string | number | null, section: string): string | null =>
  cursor === null ? null : `${withQuery(`/records/${versionId}`, { [name]: cursor })}#${section}`

type Bearing = AnswerOf<"record_evidence">

/** What bears on it, newest first. */
function bearing(visit: Visit, { versionId }: Answer, { items, nextCursor }: Bearing): Html {
  return html`<section aria-labelledby="bears">${heading(2, "bears", "For and against it")}<div id="live-bears" data-live>${
    evidenceList(visit, items) ?? html`<p class="quiet">Nothing was said for or against it yet.</p>`
  }</div>${more(onwardsOf(versionId, "evidenceAfter", nextCursor, "bears"), "Earlier evidence")}</section>`
}

/** Who uses it and how, newest first. */
function used({ versionId }: Answer, { items, nextCursor }: AnswerOf<"record_uses">): Html {
  return html`<section aria-labelledby="uses">${heading(2, "uses", "Who uses it")}<div id="live-uses" data-live>${
    items.length === 0 ? html`<p class="quiet">No uses yet.</p>` : useList(items)
  }</div>${more(onwardsOf(versionId, "usesAfter", nextCursor, "uses"), "Earlier uses")}</section>`
}

/** Whether a reference rests on what it names, so that it is in doubt when that falls. */
const isGround = ({ purpose }: Resolved): boolean => groundingPurposes.some((grounding) => grounding === purpose)

/** The links between a hypothesis, its experiments and findings. */
function wayOf(
  { kind, versionId, label: text, execution }: Answer,
  related: AnswerOf<"experiments">["items"],
  { bearing }: AnswerOf<"record_case">,
) {
  if (kind === "cited_claim") return null
  const [experiment] = related
  const here = { id: versionId, label: text }
  const [attempt, ...others] = execution?.attempts ?? []
  return steps(
    kind,
    kind === "hypothesis"
      ? {
          hypothesis: here,
          experiment: experiment && { id: experiment.experimentId, label: experiment.label },
          verdict: bearing === "untested" ? null : stateBadge(bearing),
        }
      : {
          experiment: execution === null ? undefined : { id: execution.experimentId, label: execution.experimentLabel },
          plan: execution?.planId == null ? undefined : { id: execution.planId, label: execution.planLabel ?? "plan" },
          attempt: attempt && {
            id: attempt.attemptId,
            label: others.length === 0 ? attempt.label : `${attempt.label} and ${others.length} more`,
          },
          finding: here,
        },
  )
}

/** The four later statements about a record. */
const later = (versionId: string): Html =>
  html`${Object.values(linkKinds).map(({ operation }) => act(operation, { targetVersionId: versionId }))}`

export function recordPage(visit: Visit): Shown {
  const record = visit.ask("record", visit.params)
  const room = visit.ask("room", { roomId: record.roomId })
  const judged = visit.ask("record_case", visit.params)
  const content = accepted("record", record.content)
  const { execution } = record
  const { assertion, concepts, scope } = content
  const { versionId, kind } = record
  const onwards = [
    kind === "hypothesis"
      ? act("propose_experiment", { roomId: record.roomId, threadId: record.threadId, hypotheses: versionId }, "Propose an experiment")
      : null,
    kind === "finding"
      ? act("link_experiment_finding", { findingVersionId: versionId, experimentId: execution?.experimentId }, "Relate to an experiment")
      : null,
    act("reuse_record", { versionId, threadId: room.openingThreadId }, "Reuse it in a Thread"),
  ]
  const pageOf = (name: string) => ({ limit: LISTED, after: visit.url.searchParams.get(name) ?? undefined })
  const evidence = visit.ask("record_evidence", { versionId }, pageOf("evidenceAfter"))
  const uses = visit.ask("record_uses", { versionId }, pageOf("usesAfter"))
  const isNew = kind === "hypothesis" && evidence.items.length === 0 && isUntried(judged)
  const related = kind === "hypothesis" ? visit.ask("experiments", {}, { hypothesisVersionId: versionId, limit: 10 }).items : []
  const isLinked =
    execution !== null && linkedIn(visit.ask("experiment_findings", { experimentId: execution.experimentId }).items).has(versionId)
  const speaks = record.references.some(({ purpose }) => purpose !== undefined && speakingPurposes.some((speaking) => speaking === purpose))
  const next = nextAct(visit, room, nextOfRecord(record, related, isLinked || speaks))
  const way = wayOf(record, related, judged)
  const author = visit.ask("person", { username: record.author.userId })
  return {
    title: `${record.label}: ${shortened(assertion.wording, 80)}`,
    rail: roomRail(room),
    json: `/api/research/records/${versionId}`,
    follow: { roomId: record.roomId, after: room.activityWatermark },
    about: aboutRecord(record, room, author, assertion.wording, content.paper),
    body: html`<div id="live-standing" data-live>${standing(record, (notice) => takeBack(visit, notice))}${verdictOf(record)}</div>
<p class="meta"><span><span class="label">${record.label}</span> ${words(kind)}</span>${
      record.outcome === null ? null : html`<span>${stateBadge(record.outcome)}</span>`
    }${record.reviewed === undefined ? null : html`<span>${reviewLine(record.reviewed)}</span>`}<span>${person(record.author)}</span><span>${exactTime(record.createdAt)}</span><span>in <a href="${to(`/rooms/${record.roomId}`)}" dir="auto">${room.title}</a></span></p>
<h1 class="statement" dir="auto">${wording(assertion.wording, concepts)}</h1>
<p class="scope"><span class="quiet">Where it holds:</span> ${phrase(scope)}</p>
<div id="live-way" data-live>${way}${next}</div>
${warnings(record.warnings)}
${
  content.quote === undefined
    ? null
    : html`<section aria-labelledby="quote">${heading(2, "quote", "What the paper says")}<blockquote class="said">${content.quote}</blockquote>
  <p class="meta"><span><a href="${to(`/papers/${encodeURIComponent(content.paper?.arxivId ?? "")}`)}">arXiv:${content.paper?.arxivId}</a>${content.paper?.version === undefined ? null : ` version ${content.paper.version}`}</span>${Object.entries(
    content.locator ?? {},
  ).map(([part, at]) => html`<span>${part} ${at}</span>`)}</p>
  </section>`
}
<div id="case"${attributes({ "data-live": isNew })}>${
      isNew
        ? untried(judged)
        : html`${strength(judged)}
${kind === "finding" ? findingParts(record, content, execution) : null}
${bearing(visit, record, evidence)}
${kind === "finding" ? reviewSection(visit, room, versionId, record.reviews, record.reviewed ?? null) : null}
${failures(judged)}
${doubts(judged)}
${downstream(judged)}`
    }</div>
${rests("premises", "Premises it rests on", record.premises)}
${rests("grounds", "Records it rests on", record.references.filter(isGround))}
${rests(
  "references",
  "Other records it speaks of",
  record.references.filter((reference) => !isGround(reference)),
)}
${isNew && uses.items.length === 0 ? null : used(record, uses)}
<section aria-labelledby="roles">${heading(2, "roles", "What is said of what")}${rolesTable(assertion, concepts, namer(record))}</section>
<section aria-labelledby="concepts">${heading(2, "concepts", "Concepts")}${conceptList(concepts)}</section>
<section aria-labelledby="about">${heading(2, "about", "About this record")}${facts([
      ["Provenance", record.provenanceSummary],
      ["Standing", stateBadge(record.status)],
      ["Published at", html`<a href="${to(entryPath(record.threadId, record.entryId))}">its place in the Thread</a>`],
      ["Content digest", digest(record.contentDigest)],
      record.client === undefined
        ? null
        : ["Sent by", joined(Object.entries(record.client).map(([name, value]) => `${words(name)} ${value}`))],
    ])}</section>
${citation(visit, versionId)}
${doing(visit, () => html`<section aria-labelledby="next">${heading(2, "next", "What you can do")}${next}${forMembers(visit, room, html`${later(versionId)}${onwards}`)}${mayWithhold(visit, room) ? html`<p class="meta">${withholdLink(room, { versionId }, record.label)}</p>` : null}</section>`)}
${ways([
  ["JSON", `/api/research/records/${versionId}`],
  [`${title(kind)} in the graph`, `/rooms/${record.roomId}/graph?focus=${versionId}`],
])}`,
  }
}
