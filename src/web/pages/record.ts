/** The page of a record: its standing, wording, evidence, grounds and uses. */
import { accepted } from "../../contract/operations/index.ts"
import { type EvidenceItem, groundingPurposes, speakingPurposes } from "../../contract/answers/evidence.ts"
import { verdictFromInWords } from "../../contract/answers/parts.ts"
import type { RoomSummary } from "../../contract/nouns/rooms.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { linkKinds } from "../../contract/nouns/links.ts"
import { entryPath, readPath, withQuery, type Content, type Html, html, joined, to } from "../html.ts"
import { inlineMarkdown, phrase } from "../markdown.ts"
import { act, doing, forMembers, governing } from "../parts/actions.ts"
import { conceptList, rolesTable, wording, findingParts, reliedOn } from "./record-parts.ts"
import { standing } from "../parts/timeline.ts"
import { evidenceList, citation, useList, warning, struckIf, takeBack, takenBack } from "../parts/evidence.ts"
import { effectsOf, forest } from "./forest.ts"
import {
  absent,
  doubts,
  downstream,
  failures,
  isUntried,
  nothingOf,
  strength,
  untried,
  reviewLine,
  reviewSection,
} from "../parts/judging.ts"
import { firstScreen, scopeLine, following, nextAct, steps } from "../parts/room-frame.ts"
import { nextOfRecord } from "../parts/next-acts.ts"
import { stateBadge } from "../parts/marks.ts"
import {
  list,
  live,
  section,
  digest,
  exactTime,
  facts,
  fold,
  heading,
  label,
  more,
  person,
  recordChip,
  ways,
  ofHypothesis,
} from "../parts/parts.ts"
import { aboutRecord } from "../about.ts"
import { numbersLine, numbersOf } from "../parts/numbers.ts"
import type { Shown, Visit } from "../visit.ts"
import { dateOf, shortened, title, words } from "../words.ts"
import { repeatsInWords } from "../charts/effects.ts"

type Answer = AnswerOf<"record">

/** Renders who the verdict on a hypothesis comes from. @param bearing what is said above it already */
const verdictOf = ({ verdict, verdictFrom }: Answer, bearing: string): Html | undefined =>
  verdict && (verdictFrom || verdict !== bearing)
    ? html`<p class="verdict">${verdict === bearing ? null : html`${stateBadge(verdict)} `}\
${verdictFrom && verdictFromInWords(verdictFrom, { dayOf: dateOf })}</p>`
    : undefined

/** Renders the warnings. Warnings with the same message about several attempts become one. */
function warnings(all: Answer["warnings"]): Html | null {
  if (all.length === 0) return null
  const groups = [
    ...Map.groupBy(all, ({ code, message, attemptId }) => (attemptId === undefined ? message : code)).values(),
  ]
  const item = (same: readonly Answer["warnings"][number][]): Html => {
    const [first, ...others] = same
    if (first === undefined || others.length === 0) return html`${same.map(warning)}`
    return html`<li>${first.message} The same applies to \
${joined(
  others.map(({ attemptId, message }) =>
    attemptId === undefined
      ? message
      : html`<a class="label" href="${to(`/attempts/${attemptId}`)}">\
${/\bA\d+\b/.exec(message)?.[0] ?? "an attempt"}</a>`,
  ),
)}.</li>`
  }
  return html`<ul class="warnings" aria-label="Warnings">${groups.map(item)}</ul>`
}

type Resolved = Answer["references"][number]
const reference = ({ purpose, explanation, ...record }: Resolved): Html =>
  html`<li>${purpose && html`<span class="tag">${words(purpose)}</span> `}${recordChip(record)}\
<p class="said" dir="auto">${explanation}</p></li>`

/** Returns a function that names the records which the content mentions, by id. */
const namer =
  (visit: Visit, { premises, references }: Answer) =>
  (versionId: string): Content => {
    const known =
      [...premises, ...references].find((record) => record.versionId === versionId) ?? visit.record(versionId)
    return known === null
      ? html`<a href="${to(`/records/${versionId}`)}">another record</a>`
      : label(known.kind, known.versionId, known.label)
  }

/** Items shown of each list. */
const LISTED = 20

const onwardsOf = (versionId: string, name: string, cursor: string | number | null, place: string): string | null =>
  cursor === null ? null : `${withQuery(`/records/${versionId}`, { [name]: cursor })}#${place}`

/** Renders the evidence for and against the record, newest first. */
function bearing(visit: Visit, { versionId }: Answer, { items, nextCursor }: AnswerOf<"record_evidence">): Html | null {
  const found = live("bears", evidenceList(visit, items))
  return (
    found &&
    section("bears", "For and against it", [
      found,
      more(onwardsOf(versionId, "evidenceAfter", nextCursor, "bears"), "Earlier evidence"),
    ])
  )
}

/** Renders the uses of the record, newest first, without verdicts, which are evidence. */
function used({ versionId }: Answer, { items: all, nextCursor }: AnswerOf<"record_uses">): Html | null {
  const items = all.filter(({ how }) => how !== "verdict")
  if (items.length === 0) return null
  return fold("uses", "Who uses it", `${items.length}${nextCursor === null ? "" : "+"}`, [
    live("uses", useList(items)),
    more(onwardsOf(versionId, "usesAfter", nextCursor, "uses"), "Earlier uses"),
  ])
}

/** Whether the record rests on a reference, and so is in doubt if the referenced record falls. */
const isGround = ({ purpose }: Resolved): boolean => groundingPurposes.some((grounding) => grounding === purpose)

type Link = AnswerOf<"experiment_findings">["items"][number]

/** Renders the steps from hypothesis to verdict. @param link the link by which the finding answers an experiment */
function wayOf(
  { kind, versionId, label: text, execution, verdict }: Answer,
  related: AnswerOf<"experiments">["items"],
  newest: EvidenceItem | undefined,
  link: Link | undefined,
) {
  if (kind === "cited_claim") return null
  const [experiment] = related
  const here = { id: versionId, label: text }
  if (kind === "hypothesis")
    return steps(kind, {
      hypothesis: here,
      experiment: experiment && { id: experiment.experimentId, label: experiment.label },
      finding: newest && { id: newest.by.id, label: newest.by.label ?? "" },
      verdict: verdict === undefined || verdict === "untested" ? null : stateBadge(verdict),
    })
  const [attempt, ...others] = execution?.attempts ?? []
  const [toward] = link?.towardHypothesis ?? []
  return steps(kind, {
    hypothesis: toward && { id: toward.versionId, label: toward.label },
    experiment: execution === null ? undefined : { id: execution.experimentId, label: execution.experimentLabel },
    plan: execution?.planId == null ? undefined : { id: execution.planId, label: execution.planLabel ?? "plan" },
    attempt: attempt && {
      id: attempt.attemptId,
      label: others.length === 0 ? attempt.label : `${attempt.label} and ${others.length} more`,
    },
    finding: here,
    verdict: toward === undefined ? link && stateBadge(link.towardQuestion.verdict) : stateBadge(toward.verdict),
  })
}

/** Renders a finding's verdicts on questions and hypotheses, from its links. */
function answers(visit: Visit, links: readonly Link[]): Html | null {
  if (links.length === 0) return null
  const rows = links.map((link) => {
    const { linkId, experimentId, experimentLabel, towardQuestion, towardHypothesis, author, withdrawn } = link
    const own = takeBack(visit, { linkId, kind: "finding_link", author })
    const verdictItem = (verdict: string, of: Html, explanation: string) =>
      html`<li>${struckIf(withdrawn, stateBadge(verdict))}<div>${of} <span class="explained" dir="auto">\
${inlineMarkdown(explanation)}</span></div></li>`
    return html`${towardHypothesis.map((hypothesis) =>
      verdictItem(hypothesis.verdict, ofHypothesis(hypothesis), hypothesis.explanation),
    )}${verdictItem(
      towardQuestion.verdict,
      html`the question of ${label("experiment", experimentId, experimentLabel)}`,
      towardQuestion.explanation,
    )}<li><span></span><span class="meta"><span>${takenBack(withdrawn)}${person(author)}</span>\
<a href="${to(`/links/${linkId}`)}">Read and reply</a>${own}</span></li>`
  })
  return section("answers", "What it answers", live("answers", html`<ul class="evidence">${rows}</ul>`))
}

function onwards({ kind, versionId, roomId, threadId, execution }: Answer, { openingThreadId }: RoomSummary): Html {
  const experiment = act("propose_experiment", { roomId, threadId, hypotheses: versionId }, "Propose an experiment")
  const answer = act(
    "link_experiment_finding",
    { findingVersionId: versionId, experimentId: execution?.experimentId },
    "Say what it answers",
  )
  return html`${Object.values(linkKinds).map(({ operation }) => act(operation, { targetVersionId: versionId }))}${
    kind === "hypothesis" ? experiment : kind === "finding" ? answer : null
  }${act("reuse_record", { versionId, threadId: openingThreadId }, "Reuse it in a Thread")}`
}

const quotation = ({ quote, paper, locator }: ReturnType<typeof accepted<"record">>): Html | null =>
  quote === undefined
    ? null
    : html`<section aria-labelledby="quote">${heading(2, "quote", "What the paper says")}<blockquote class="said">\
${quote}</blockquote>
  <p class="meta"><span><a \
href="${to(`/papers/${encodeURIComponent(paper?.arxivId ?? "")}`)}">arXiv:${paper?.arxivId}</a>\
${paper?.version === undefined ? null : ` version ${paper.version}`}</span>\
${Object.entries(locator ?? {}).map(([part, at]) => html`<span>${part} ${at}</span>`)}</p></section>`

/** Records that this one names, folded. */
const folded = (id: string, name: string, all: readonly Resolved[]): Html | null =>
  fold(id, name, joined(all.map((record) => record.label)), list("cards", all, reference))

/**
 * Beside a finding: who repeated and reviewed it, and how many of how many attempts it uses. A reproduction that did
 * not measure its effects stands in the tally above: that nobody repeated them would seem to deny it.
 */
function glance(visit: Visit, record: Answer): Html {
  const { reproductions, failedReproductions } = record.evidenceTally
  const repeats = record.effects.flatMap((effect) => effect.reproductions)
  const isTold = record.effects.length > 0 && (repeats.length > 0 || reproductions + failedReproductions === 0)
  return html`${isTold && html`<p class="verdict-of">${repeatsInWords(visit, repeats)}</p>`}\
<p>${reviewLine(record.reviewed)}</p>${reliedOn(record)}`
}

/** The picture of what a finding measured, or that it claims something without a measured effect. */
function pictureOf(visit: Visit, { kind, effects, roomId, execution }: Answer): Html | null {
  if (kind !== "finding") return null
  if (effects.length > 0) return effectsOf(visit, roomId, effects)
  const ids = (execution?.attempts ?? []).map(({ attemptId }) => attemptId)
  const compare = to(`/attempts/compare?ids=${ids.join(",")}`)
  return html`<p class="claimed">${stateBadge("untested", "Claimed, not measured")} \
${ids.length > 1 && html`<a href="${compare}">Work it out from its attempts</a>`}</p>`
}

export function recordPage(visit: Visit): Shown {
  const record = visit.ask("record", visit.params)
  const room = visit.room(record.roomId)
  const judged = visit.ask("record_case", visit.params)
  const content = accepted("record", record.content)
  const { execution, versionId, kind } = record
  const { assertion, concepts, scope } = content
  const pageOf = (name: string) => ({ limit: LISTED, after: visit.parameter(name) })
  const evidence = visit.ask("record_evidence", { versionId }, pageOf("evidenceAfter"))
  const uses = visit.ask("record_uses", { versionId }, pageOf("usesAfter"))
  const isNew = kind === "hypothesis" && evidence.items.length === 0 && isUntried(judged)
  const related =
    kind === "hypothesis" ? visit.ask("experiments", {}, { hypothesisVersionId: versionId, limit: 10 }).items : []
  const links =
    execution === null ? [] : visit.ask("experiment_findings", { experimentId: execution.experimentId }).items
  const own = links.filter(({ finding }) => finding.versionId === versionId)
  const answering = own.find(({ withdrawn }) => withdrawn == null)
  const speaks = record.references.some(
    ({ purpose }) => purpose !== undefined && speakingPurposes.some((speaking) => speaking === purpose),
  )
  const governed = governing(visit, room)({ versionId }, record.label)
  const next = nextAct(
    visit,
    room,
    nextOfRecord(visit, record, related, answering?.towardQuestion.verdict ?? (speaks ? "answers" : undefined)),
  )
  const newest = evidence.items.find(({ by, standing: counts }) => by.kind === "finding" && counts === "counted")
  const author = visit.ask("person", { username: record.author.userId })
  const measured =
    kind === "hypothesis"
      ? forest(visit, visit.ask("record_effects", { versionId }).contrasts)
      : pictureOf(visit, record)
  const others = record.references.filter((reference) => !isGround(reference))
  const empties = nothingOf([
    ...absent(judged),
    kind === "finding" && execution === null && (content.evidence ?? []).length === 0 && "No files attached.",
    judged.restingOnIt.items.length + judged.citedIn.items.length + uses.items.length === 0 && "Not cited yet.",
  ])
  const said = (text: string) =>
    numbersOf(visit, { roomId: record.roomId, versionIds: [versionId], since: record.createdAt }, text)
  return {
    title: `${record.label}: ${shortened(assertion.wording, 80)}`,
    ...following(room),
    wide: true,
    json: readPath("record", { versionId }),
    about: aboutRecord(record, room, author, assertion.wording, content.paper),
    body: html`${firstScreen({
      standing: standing(record, (notice) => takeBack(visit, notice)),
      meta: html`<span><span class="label">${record.label}</span> ${words(kind)}</span>${
        record.outcome === null ? null : html`<span>${stateBadge(record.outcome)}</span>`
      }${kind === "finding" ? numbersLine(record.numbersCheck) : null}\
<span>${person(record.author)}</span><span>${exactTime(record.createdAt)}</span>`,
      sentence: html`<h1 class="statement" dir="auto">\
${wording(assertion.wording, concepts, said(assertion.wording))}</h1>`,
      scope: scopeLine("Where it holds", phrase(scope, said(scope))),
      way: wayOf(record, related, newest, answering),
      picture: html`${quotation(content)}${isNew ? null : measured}`,
      verdict: html`${
        isNew
          ? untried(judged)
          : strength(judged, verdictOf(record, judged.bearing), record.reviewed, execution === null)
      }
${kind === "finding" ? glance(visit, record) : null}`,
      next,
    })}
${warnings(record.warnings)}
<div id="case" data-live>${
      isNew
        ? null
        : html`${answers(visit, own)}
${bearing(visit, record, evidence)}
${doubts(judged)}
${failures(judged)}
${kind === "finding" ? findingParts(record, content, execution, said) : null}
${downstream(judged)}`
    }</div>
${kind === "finding" ? reviewSection(visit, room, versionId, record.reviews ?? [], record.reviewed ?? null) : null}
${folded("premises", "Premises it rests on", record.premises)}
${folded("grounds", "Records it rests on", record.references.filter(isGround))}
${folded("references", "Other records it refers to", others)}
${isNew ? null : used(record, uses)}
${fold("roles", "Roles and concepts", assertion.roles.length + Object.keys(concepts).length, [
  rolesTable(assertion, concepts, namer(visit, record)),
  conceptList(concepts),
])}
${fold(
  "about",
  "Provenance and citation",
  record.provenanceSummary,
  facts([
    ["Provenance", record.provenanceSummary],
    ["Published", html`<a href="${to(entryPath(record.threadId, record.entryId))}">in its Thread</a>`],
    ["Content digest", digest(record.contentDigest)],
    [
      "Sent by",
      record.client && joined(Object.entries(record.client).map(([name, value]) => `${words(name)} ${value}`)),
    ],
    ["Cite it", citation(visit, versionId)],
  ]),
)}
${doing(
  visit,
  () =>
    html`<section aria-label="What you can do">${forMembers(visit, room, onwards(record, room))}\
${governed && html`<p class="meta">${governed}</p>`}\
</section>`,
)}
${isNew ? null : empties}
${ways([
  ["JSON", readPath("record", { versionId })],
  [`${title(kind)} in the graph`, `/rooms/${record.roomId}/graph?focus=${versionId}`],
])}`,
  }
}
