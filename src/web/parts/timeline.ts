/**
 * Groups the entries of a timeline into items: what people wrote stands; what was done between is one line that
 * unfolds; the verdict of a finding stands in the finding's own card.
 */
import type { Entry, CardOf } from "../../contract/nouns/threads.ts"
import type { CardKind } from "../../contract/definitions/operation.ts"
import { html, type Html, attributes, type Content, to, entryPath, pathOf } from "../html.ts"
import { counted, words, dateAndTime, shortened, title } from "../words.ts"
import { doneBy, receiptInWords, reportedOf, takesReplies } from "../../contract/operations/receipts.ts"
import { writerOf, fromOther, label, named, ofHypothesis, person, pictures, time } from "./parts.ts"
import { linkKinds } from "../../contract/nouns/links.ts"
import { partInWords } from "../../contract/definitions/sentence.ts"
import { accepted } from "../../contract/operations/index.ts"
import type { LinkedNumber } from "../linked-numbers.ts"
import { inlineMarkdown, markdown, markdownInLink, phrase, plainText } from "../markdown.ts"
import { stateBadge } from "./marks.ts"
import { reviewLine } from "./judging.ts"
import { struckIf, takenBack } from "./evidence.ts"
import { isKeyOf } from "../../contract/typed.ts"

// Describes what somebody did, with a link to what they did it to.

/**
 * Describes an operation with its target: "published hypothesis H1", "added a member". @param path the target's page,
 * if it has one
 */
export function doneTo(
  done: string,
  { kind, label }: { readonly kind: string; readonly label: string | null },
  path: string | null | undefined,
): Html {
  const noun = words(kind)
  const isNamed = label === null && done.toLowerCase().endsWith(noun)
  const name = isNamed ? done : (label ?? `the ${noun}`)
  const linked =
    path === undefined || path === null
      ? name
      : html`<a class="${label === null ? "" : "label"}" href="${to(path)}">${name}</a>`
  return isNamed ? html`${linked}` : html`${done} ${linked}`
}

// Renders entries of a timeline: messages as posts, cards in full, receipts as single lines.

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
  /** Looks up the numbers of a text that was written at a time. */
  readonly numbers?: (text: string, since: string) => readonly LinkedNumber[]
  /** Renders what the visitor may do with an entry that takes replies; null if that is nothing. */
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
function isVerdictOn(entry: Entry, { kind, card, author }: Entry): boolean {
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
  const acts = isAnswerable ? below?.(entry) : null
  return {
    permalink: html`<a class="permalink" href="${to(entryPath(threadId, entryId))}">${time(at)}</a>`,
    replies,
    after: isAnswerable && (replies || acts) ? html`<div class="after">${replies}${acts}</div>` : null,
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
interface Step {
  readonly isFirst: boolean
  /** Whether the line before it names the same writer. */
  readonly isSameWriter: boolean
  /** Whether it left its attempt as it was. */
  readonly isProgress: boolean
}

/**
 * Renders a receipt as a list item of one line, on the page of its Thread. In a run it has its number for an address,
 * since an id is a third of its bytes, unless something leads to it or may be done with it.
 */
function receiptItem(entry: Entry, view: EntryView, step?: Step): Html {
  const { permalink, after, attributes: own } = frame(entry, view)
  const { entryId, sequence, author, receipt, at } = entry
  const isPlain = step !== undefined && !step.isFirst && after === null && view.chosen !== entryId
  const id = isPlain ? `step-${sequence}` : `entry-${entryId}`
  const when = step === undefined ? permalink : html`<a href="#${id}">${dateAndTime(at)}</a>`
  return html`<li${isPlain ? attributes({ id, class: "receipt" }) : own("receipt")}>\
${!step?.isSameWriter && html`${person(author)} · `}\
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

/** What stands together in a timeline, in order, and never empty. */
type Group = [Entry, ...Entry[]]

export interface Item {
  readonly entries: Group
  readonly markup: Html
}

/** The most names and steps that the line of a run says; the rest are counted. */
const NAMES = 2
const STEPS = 2

/** "a", "a and b", "a, b and 2 more". */
function listed(all: readonly string[], most: number, more = "more"): string {
  if (all.length > most + 1) return `${all.slice(0, most).join(", ")} and ${all.length - most} ${more}`
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`
}

/** Labels of one kind in order: "A18 to A20, A23". */
export function labelRanges(labels: readonly string[]): string {
  const numbers = labels.map((label) => Number(label.slice(1))).toSorted((one, other) => one - other)
  const ranges: [from: number, to: number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && number === last[1] + 1) last[1] = number
    else ranges.push([number, number])
  }
  const letter = labels[0]?.charAt(0) ?? ""
  const said = ranges.map(([from, to]) =>
    from === to ? `${letter}${from}` : `${letter}${from}${to === from + 1 ? "," : " to"} ${letter}${to}`,
  )
  return listed(said, 3)
}

/** The outcomes of a run's attempts: "3 succeeded, 1 failed". */
function outcomes(states: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1)
  return [...counts].map(([state, count]) => `${count} ${words(state)}`).join(", ")
}

/** What was done, in a line: "ada ran A18 to A20: 3 succeeded, and 2 other steps". */
function summary(run: readonly Entry[]): string {
  const names = new Set(run.map(({ author }) => writerOf(author)))
  const attempts = new Map<string, string>()
  const steps: string[] = []
  for (const { receipt } of run) {
    if (receipt === undefined) continue
    const { operation, target, result } = receipt
    if (target.kind === "attempt" && target.label !== null)
      attempts.set(target.label, typeof result.status === "string" ? result.status : "registered")
    else steps.push(target.label === null ? doneBy(operation) : `${doneBy(operation)} ${target.label}`)
  }
  const who = listed([...names], NAMES)
  if (attempts.size === 0) return `${who} ${listed(steps, STEPS)}`
  const others = steps.length === 0 ? "" : `; ${counted(steps.length, "other step")}`
  return `${who} ran ${labelRanges([...attempts.keys()])}: ${outcomes([...attempts.values()])}${others}`
}

const isReceipt = ({ receipt }: Entry): boolean => receipt !== undefined

/** @param first the sequence that begins a new item whatever stands before it */
function grouped(entries: readonly Entry[], first: number | undefined): Group[] {
  const groups: Group[] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    const joins =
      last !== undefined &&
      entry.sequence !== first &&
      (isReceipt(entry) ? isReceipt(last[0]) : isVerdictOn(entry, last[0]))
    if (joins) last.push(entry)
    else groups.push([entry])
  }
  return groups
}

/** Renders a run of receipts. Its first entry gives the item its address, so that a run that grows keeps it. */
function runItem(run: Group, view: EntryView): Html {
  const [first, ...others] = run
  const last = others.at(-1)
  if (last === undefined) return receiptItem(first, view)
  const isOpen = run.some(({ entryId }) => entryId === view.chosen)
  const states = new Map<string, unknown>()
  const steps = run.map(({ author, receipt }, index): Step => {
    const before = run[index - 1]?.author
    const isSameWriter = before?.userId === author.userId && writerOf(before) === writerOf(author)
    const isFirst = index === 0
    if (receipt?.target.kind !== "attempt") return { isFirst, isSameWriter, isProgress: false }
    const { target, result } = receipt
    const isProgress = states.get(target.id) === result.status
    states.set(target.id, result.status)
    return { isFirst, isSameWriter, isProgress }
  })
  return html`<li class="receipt run" id="run-${first.entryId}" data-sequence="${last.sequence}">\
<details${isOpen ? html` open` : null}><summary>${summary(run)}</summary><ol class="steps-done">${run.map(
    (entry, index) => receiptItem(entry, view, steps[index]),
  )}</ol></details></li>`
}

/** The items of a timeline. @param first the sequence of the first new entry, which begins an item */
export const timelineItems = (entries: readonly Entry[], view: EntryView, first?: number): readonly Item[] =>
  grouped(entries, first).map((group) => ({
    entries: group,
    markup: isReceipt(group[0]) ? runItem(group, view) : entryItem(group[0], view, group.slice(1)),
  }))
