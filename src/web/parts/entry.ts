/** Renders entries of a timeline: messages as posts, cards in full, receipts as single lines. */
import { linkKinds } from "../../contract/operations/link-kinds.ts"
import { takesReplies } from "../../contract/operations/takes-replies.ts"
import { partInWords } from "../../contract/definitions/sentence.ts"
import { accepted } from "../../contract/reads/shared.ts"
import type { CardKind, CardOf, Entry } from "../../contract/answers/index.ts"
import { entryPath, pathOf } from "../addresses.ts"
import { attributes, type Content, type Html, html, to } from "../html.ts"
import type { LinkedNumber } from "../linked-numbers.ts"
import { inlineMarkdown, markdown, markdownInLink, phrase, plainText } from "../markdown.ts"
import { counted, dateAndTime, shortened, title, words } from "../words.ts"
import { doneBy, receiptInWords, reportedOf } from "../../contract/operations/done-by.ts"
import { doneTo } from "./done-to.ts"
import { stateBadge } from "./marks.ts"
import { ageOf, fromOther, label, named, ofHypothesis, person, pictures, time } from "./parts.ts"
import { reviewLine } from "./reviews.ts"
import { struckIf, takenBack } from "./withdrawal.ts"
import { isKeyOf } from "../../contract/each.ts"

type RecordCard = CardOf<"publication">
type LinkCard = CardOf<"link_experiment_finding">
type Notice = RecordCard["notices"][number]
type CheckpointCard = CardOf<"post_research_checkpoint">
type Labels = ReadonlyMap<string, string>
type Numbered = (text: string) => readonly LinkedNumber[]

/** The standing of a record with its notices, one per line. @param way returns what the visitor may do with a notice */
export function standing(
  { status, notices: all }: Pick<RecordCard, "status" | "notices">,
  way?: (notice: Notice) => Html | null,
): Html | null {
  const notices = all.filter(({ withdrawn }) => withdrawn === undefined)
  const before = all.filter(({ withdrawn }) => withdrawn !== undefined)
  const former = before.map(
    ({ linkId, label: text, kind, explanation, author, at, withdrawn }) =>
      html`<p class="former"><a class="label" href="${to(`/links/${linkId}`)}">${text}</a> <s>\
${person(author)} ${linkKinds[kind].status} it ${time(at)}: ${phrase(explanation)}</s></p>${takenBack(withdrawn)}`,
  )
  if (all.length === 0) return null
  if (status === "current" && notices.length === 0)
    return html`<div class="banner quiet" role="note" aria-label="Withdrawn">${former}</div>`
  const replaced = notices.findLast(({ replacementVersionId }) => replacementVersionId !== null)
  // A correction of the wording leaves the record current.
  const tone = status === "current" ? "quiet" : status === "retracted" ? "bad" : "warn"
  return html`<div class="banner ${tone}" role="note" aria-label="Standing">\
${status === "current" ? null : stateBadge(status, title(status))}\
${notices.map((notice) => {
  const { linkId, label: text, kind, explanation, author, at, correction, part, answered } = notice
  const own = way?.(notice) ?? null
  return html`<p><a class="label" href="${to(`/links/${linkId}`)}">\
${text}</a> ${person(author)} ${linkKinds[kind].status} \
it${part === undefined ? null : html` in ${phrase(partInWords(part))}`} ${time(at)}: ${phrase(explanation)}${
    correction === null ? null : html` <strong>Correction:</strong> ${phrase(correction)}`
  }${answered === undefined ? null : " Its author has answered."}${own === null ? null : html` ${own}`}</p>`
})}${
  replaced === undefined
    ? null
    : html`<p><a href="${to(`/records/${replaced.replacementVersionId}`)}">Read what replaces it</a></p>`
}${former}</div>`
}

const recordCard = (card: RecordCard): Html =>
  html`<div class="card">${standing(card)}<p class="kind"><span>${label(card.kind, card.versionId, card.label)}\
${fromOther(card)} ${words(card.kind)}</span>${card.reviewed ? html`<span>${reviewLine(card.reviewed)}</span>` : null}\
${card.reused ? html`<span class="tag">reused here</span>` : null}</p>
<a class="wording" href="${to(`/records/${card.versionId}`)}" dir="auto">${markdownInLink(card.wording)}</a>\
${card.note === null ? null : html`<p class="hint">${card.note}</p>`}</div>`

/** The verdicts of a finding, whose standing its card shows. */
function verdictsOf(card: LinkCard, labels: Labels): Html {
  const question = accepted("verdict", card.towardQuestion)
  const hypotheses = accepted("verdicts", card.towardHypothesis)
  const line = (verdict: string, toward: Html | string, explanation: string) =>
    html`<li>${struckIf(card.withdrawn, stateBadge(verdict))} ${toward}: <span class="explained">\
${explanation}</span></li>`
  return html`${takenBack(card.withdrawn)}<ul class="verdicts">\
${line(question.verdict, "the question", question.explanation)}${hypotheses.map(
  ({ versionId = "", verdict, explanation, part }) =>
    line(verdict, ofHypothesis({ versionId, label: labels.get(versionId) ?? "a hypothesis", part }), explanation),
)}</ul>`
}

const linkCard = (card: LinkCard, labels: Labels): Html =>
  html`<div class="card"><p class="kind"><span>${label("finding", card.versionId, card.label)}\
${fromOther(card)} related to ${label("experiment", card.experimentId, card.experimentLabel)}</span>\
<a href="${to(`/links/${card.linkId}`)}">the link</a></p>
<a class="wording" href="${to(`/records/${card.versionId}`)}" dir="auto">${markdownInLink(card.wording)}</a>
${standing(card)}${verdictsOf(card, labels)}</div>`

const checkpointCard = (card: CheckpointCard, _: Labels, numbers: Numbered): Html =>
  html`<div class="card"><p class="kind">\
<span>${stateBadge(card.state, card.state === "concluded" ? "Concluding checkpoint" : "Checkpoint")}</span>\
<span>${reviewLine(card.reviewed)}</span><span>covers entries 1 to ${card.coversThrough}</span>\
<a href="${to(`/checkpoints/${card.checkpointId}`)}">the checkpoint</a></p>
${
  card.conclusion === null
    ? null
    : html`<p class="statement" dir="auto">${inlineMarkdown(card.conclusion, numbers(card.conclusion))}</p>`
}${markdown(card.synthesis, numbers(card.synthesis))}${
  card.openQuestions.length === 0
    ? null
    : html`<p class="hint">Left open:</p>
  <ul class="questions">${card.openQuestions.map(
    (question) => html`<li dir="auto">${inlineMarkdown(question)}</li>`,
  )}</ul>`
}</div>`

interface CardView<Card> {
  readonly name: string
  whole(card: Card, labels: Labels, numbers: Numbered): Html
  line(card: Card): string
}
const recordLine = ({ label: text, wording }: { label: string; wording: string }) => `${text}: ${wording}`

export const cardViews: { readonly [K in CardKind]: CardView<CardOf<K>> } = {
  publication: { name: "publication", whole: recordCard, line: recordLine },
  link_experiment_finding: { name: "verdict", whole: linkCard, line: recordLine },
  post_research_checkpoint: { name: "checkpoint", whole: checkpointCard, line: ({ synthesis }) => synthesis },
}
type AnyCard = CardOf<CardKind>

/** The view of a kind of card. Undefined for a kind that a newer version wrote. */
const viewOf = (kind: string): CardView<AnyCard> | undefined => (isKeyOf(cardViews, kind) ? cardViews[kind] : undefined)

/** Renders a receipt: "took experiment E1 → claimed". */
function receiptLine({ operation, target, result }: NonNullable<Entry["receipt"]>, step?: Step): Html {
  const path = pathOf(target.kind, target.id)
  const became = operation === "report_attempt_event" ? result.status : result.verdict
  // Among many lines the word is enough.
  const badge = typeof became !== "string" ? null : step === undefined ? stateBadge(became) : words(became)
  // "A3 succeeded" says it; that somebody reported it is what every receipt says.
  if (operation === "report_attempt_event" && target.label !== null)
    return html`${named(target.kind, target.id, target.label)} ${step?.isProgress ? "reported progress" : badge}`
  const reported = reportedOf(operation, result)
  if (reported !== undefined) return doneTo(reported, target, path)
  const reason =
    operation === "withhold_content" && typeof result.reason === "string" ? `: ${words(result.reason)}` : null
  return html`${doneTo(doneBy(operation), target, path)}${badge && html` → ${badge}`}${reason}`
}

const via = (client: Readonly<Record<string, string>> | undefined): Html | null =>
  client === undefined || client.name === undefined
    ? null
    : html` <span class="tag" title="${Object.entries(client)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n")}">via ${client.name}</span>`

export interface EntryView {
  /** Entries on the same page, for links within it. */
  readonly known: ReadonlyMap<string, Entry>
  readonly chosen?: string | undefined
  /** Labels of records that the page knows. */
  readonly labels?: Labels
  /** Looks up the numbers of a text that landed at a time. */
  readonly numbers?: (text: string, since: string) => readonly LinkedNumber[]
  /** Renders what the visitor may do with an entry that takes replies. */
  readonly below?: (entry: Entry) => Content
}

/** The beginning of an entry, for its replies. */
export function gist({ kind, message, card, receipt }: Entry): string {
  if (message !== undefined) return shortened(plainText(message.text), 80)
  if (card !== undefined) return shortened(plainText(viewOf(kind)?.line(card) ?? words(kind)), 80)
  return receipt === undefined ? "" : receiptInWords(receipt)
}

function inReply({ replyToEntryId, threadId }: Entry, known: EntryView["known"]): Html | null {
  if (replyToEntryId === null) return null
  const answered = known.get(replyToEntryId)
  const path = answered === undefined ? to(entryPath(threadId, replyToEntryId)) : `#entry-${replyToEntryId}`
  return html`<p class="in-reply">In reply to <a href="${path}">\
${answered === undefined ? "an earlier entry" : html`${answered.author.username}: ${gist(answered)}`}</a></p>`
}

/** The card of a finding's verdict. Undefined for other entries. */
const linkOf = ({ card }: Entry): LinkCard | undefined => (card !== undefined && "linkId" in card ? card : undefined)

/** Whether an entry is the verdict of the finding that another entry of the same person published. */
export function isVerdictOn(entry: Entry, { kind, card, author }: Entry): boolean {
  const link = linkOf(entry)
  const published = kind === "publication" && card !== undefined && "versionId" in card ? card.versionId : undefined
  return link !== undefined && link.versionId === published && entry.author.userId === author.userId
}

/** What an entry and its item share: the address, whether it takes replies, and what may be done with it. */
function frame(entry: Entry, { chosen, below }: EntryView) {
  const { entryId, threadId, sequence, at, receipt, replyCount } = entry
  const isAnswerable = takesReplies(entry.kind, receipt?.result)
  const replies =
    replyCount > 0 &&
    html`<a data-replies href="${to(`/threads/${threadId}/replies/${entryId}`)}">\
${counted(replyCount, "reply", "replies")}</a>`
  return {
    permalink: html`<a class="permalink" href="${to(entryPath(threadId, entryId))}">${time(at)}</a>`,
    replies,
    after: isAnswerable ? html`<div class="after">${replies}${below?.(entry)}</div>` : null,
    attributes: (kind: string) =>
      attributes({
        id: `entry-${entryId}`,
        class: `${kind}${chosen === entryId ? " chosen" : ""}`,
        "data-sequence": sequence,
        "data-entry": isAnswerable,
      }),
  }
}

/** A receipt among those of a run. */
export interface Step {
  /** Whether the line before it names the same writer. */
  readonly isSameWriter: boolean
  /** Whether it left its attempt as it was. */
  readonly isProgress: boolean
}

/** Renders a receipt as a list item of one line, on the page of its Thread. */
export function receiptItem(entry: Entry, view: EntryView, step?: Step): Html {
  const { permalink, after, attributes: own } = frame(entry, view)
  const { entryId, author, receipt, at } = entry
  const when =
    step === undefined ? permalink : html`<a href="#entry-${entryId}" title="${dateAndTime(at)}">${ageOf(at)}</a>`
  return html`<li${own("receipt")}>${!step?.isSameWriter && html`${person(author)} · `}\
${receipt && receiptLine(receipt, step)}\
${via(receipt?.client)} · ${when}${after}</li>`
}

/** Renders an entry as a list item with its permalink. @param verdicts entries that stand in its card */
export function entryItem(entry: Entry, view: EntryView, verdicts: readonly Entry[] = []): Html {
  if (entry.receipt !== undefined) return receiptItem(entry, view)
  const { permalink, after, attributes: own } = frame(entry, view)
  const { author, message, card } = entry
  const labels = view.labels ?? new Map()
  const client = message?.client ?? card?.client
  const said = (text: string) => view.numbers?.(text, entry.at) ?? []
  return html`<li${own(card === undefined ? "post" : "has-card")}><h2 class="by">${person(author)}\
${card === undefined ? null : html` <span class="aside">${viewOf(entry.kind)?.name ?? words(entry.kind)}</span>`}\
${via(client)} · ${permalink}</h2>
    ${inReply(entry, view.known)}
${message === undefined ? null : html`${markdown(message.text, said(message.text))}${pictures(message)}`}\
${card === undefined ? null : viewOf(entry.kind)?.whole(card, labels, said)}\
${verdicts.map((verdict) => verdictWithin(verdict, view))}
${after}</li>`
}

/** Renders the verdict of a finding below the finding's card, without saying the finding again. */
function verdictWithin(entry: Entry, view: EntryView): Html {
  const { permalink, replies, attributes: own } = frame(entry, view)
  const card = linkOf(entry)
  if (card === undefined) return html``
  return html`<div${own("verdict-within")}>${verdictsOf(card, view.labels ?? new Map())}<p class="meta">\
<span>about ${label("experiment", card.experimentId, card.experimentLabel)}</span>\
<a href="${to(`/links/${card.linkId}`)}">the link</a><span>${permalink}</span>${replies}</p></div>`
}
