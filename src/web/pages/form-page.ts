/**
 * The page with the form of an operation: its subject, its fields, the faults that a refusal found, and similar
 * records.
 */
import { randomUUID } from "node:crypto"
import { isUuid } from "../../contract/schema/fields.ts"
import type { Issue, Refusal } from "../../contract/refusals.ts"
import { withQuery, type Html, html, to, hiddenInputs } from "../html.ts"
import { type Draft, fill } from "../forms/draft.ts"
import { type Fault, nameOf, faultsOf, atHand } from "../forms/reading.ts"
import { idOf } from "../forms/inputs.ts"
import { type Offered, type Sheet, companionOf, SAYS } from "../forms/sheets/sheet.ts"
import { list, facts, label, person, time } from "../parts/parts.ts"
import { remedyFor } from "./making.ts"
import { title, words } from "../words.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Operation, pathNames } from "../../contract/definitions/operation.ts"
import { isoTime } from "../../ledger/world.ts"
import { type Field, type Form, formOf, offeredOf } from "../forms/fields.ts"
import { laidOut } from "../forms/layout.ts"
import { WORDING } from "../forms/statement.ts"
import { sheetOf } from "../forms/sheets/index.ts"
import { type Subject, subjectOf } from "../forms/subject.ts"
import { markdown } from "../markdown.ts"
import { roleIn, whyNot } from "../parts/actions.ts"
import { roomRail } from "../parts/room-frame.ts"
import { ownPath, orNull, type Shown, type Visit } from "../visit.ts"
import { limits } from "../../contract/limits.ts"
import { stateBadge } from "../parts/marks.ts"

// Shows similar questions, claims and attempts beside a form.

const TEXTS = ["/question", "/assertion/wording"] as const
const OPERATIONS: readonly string[] = [
  "propose_experiment",
  "publish_hypothesis",
  "publish_finding",
  "publish_cited_claim",
]

const showsSimilar = (operation: string): boolean => OPERATIONS.includes(operation)

const item = ({
  kind,
  id,
  label: named,
  says,
  author,
  at,
  status,
  cameOfIt,
}: AnswerOf<"room_similar">["similar"][number]): Html =>
  html`<li data-entry><p class="meta">${label(kind, id, named)}<span>${words(kind)}</span>\
<span>${stateBadge(status)}</span><span>${person(author)}</span><span>${time(at)}</span></p>
  <p class="said" dir="auto">${says}</p>${cameOfIt === null ? null : html`<p class="hint">${cameOfIt}</p>`}</li>`

/** Renders the records of the Room that are similar to a draft. Null if the draft is empty. */
function similarTo(visit: Visit, roomId: string, draft: URLSearchParams): Html | null {
  const text = TEXTS.map((name) => draft.get(name)?.trim()).find((value) => value !== undefined && value !== "")
  if (text === undefined) return null
  const { similar } = visit.ask("room_similar", { roomId }, { text: text.slice(0, limits.similarText) })
  return html`<section aria-labelledby="similar"><h2 id="similar">Already tried?</h2>${
    similar.length === 0
      ? html`<p class="quiet">Nothing in this Room is similar to it.</p>`
      : html`<ul class="cards">${similar.map(item)}</ul>`
  }</section>`
}

// The message above a refused form: the faults to correct, or what changed in the meantime.

/** The words of a state; a label or a name is as it is. */
const plain = (value: unknown): string =>
  typeof value === "string" && /^[a-z_]+$/.test(value) ? words(value) : String(value)

/** Compares the values that the form expected with the current ones. */
function moved({ code, details }: Refusal, draft: Draft): Html | null {
  const expected = details.current?.expected
  if (typeof expected !== "object" || expected === null) return null
  const rows = Object.entries(expected).flatMap(([name, now]) => {
    const then = draft.get(`/${name}`)
    if (then === null || then === String(now)) return []
    const what = title(name.replace(/^expected/, "")).replace("Watermark", "Newest entry")
    return [[what, `was ${plain(then)}, is now ${plain(now)}`] as const]
  })
  const [threadId, read] = [draft.get("/threadId"), draft.get("/expectedWatermark")]
  const arrived =
    threadId &&
    read &&
    html`<p><a href="${to(withQuery(`/threads/${threadId}`, { after: read }))}">Read what was written since</a></p>`
  if (rows.length === 0) return null
  return html`<h3>What changed while you wrote</h3>${facts(rows)}${arrived}\
<p>Your draft is below as you wrote it.\
${code === "assignment_conflict" ? null : " If it is still right, send it again."}</p>`
}

function currentState({ details }: Refusal): Html | null {
  const isId = (value: unknown) => typeof value === "string" && isUuid(value)
  const current = Object.entries(details.current ?? {}).filter(
    ([name, value]) => name !== "label" && typeof value !== "object" && value !== null && !isId(value),
  )
  if (current.length === 0) return null
  return html`<p>Current state:</p>${facts(current.map(([name, value]) => [title(name), plain(value)]))}`
}

/** Renders the message above the form. @param sent the draft as it was sent, with the values that it expected */
function refusedForm(refusal: Refusal, faults: readonly Fault[], sent: Draft, sheet: Sheet | undefined): Html {
  const { code, details } = refusal
  const fault = ({ at, sentence }: Fault) => {
    const isAbout = sentence.startsWith("This ")
    const name = nameOf(at, sheet)
    return html`<li><a href="#${idOf(at)}">${isAbout ? name : sentence}</a>\
${isAbout ? `${name.endsWith("?") ? "" : ":"} ${sentence}` : null}</li>`
  }
  const isRepeated = faults.some(({ sentence }) => sentence === refusal.message)
  const hasRemedy =
    code === "invalid_schema" || faults.some(({ sentence }) => sentence.startsWith(`${refusal.message} `))
  return html`<div class="refused" role="alert" id="refused" tabindex="-1"><h2>Not stored</h2>
    <p>${
      hasRemedy
        ? "Your draft is kept. Correct what is listed here and send it again."
        : isRepeated
          ? html`Your draft is kept. ${remedyFor(code)}`
          : refusal.message
    } ${details.committed === null ? "It is not known whether this was stored. Send it again as it is." : null}</p>
${list("", faults, fault, html`<p>${remedyFor(code)}</p>`)}
${moved(refusal, sent) ?? currentState(refusal)}</div>`
}

/** Properties that say what the form is about. If the address gives them, the form does not ask for them. */
const SUBJECTS = [
  "roomId",
  "collectionId",
  "arxivId",
  "paperId",
  "replyToNoteId",
  "replyToEntryId",
  "experimentId",
  "materialId",
  "targetVersionId",
  "linkId",
  "expectedRevision",
  "expectedStatus",
  "expectedWatermark",
]
/** Properties that hold Markdown, which a preview shows. */
const MARKDOWN = ["text", "message", "synthesis", "handoff", "summary"]

/** Returns the draft that a form opens with: values from the address, and values that can be derived. */
export function opening(visit: Visit, operation: Operation): Draft {
  const form = formOf(operation)
  const draft: Draft = new URLSearchParams()
  for (const field of form.fields) {
    const values = visit.url.searchParams.getAll(field.name)
    if (values.length > 0)
      fill(draft, field, `/${field.name}`, field.form === "lines" || field.form === "boxes" ? values : values[0])
  }
  for (const name of new Set(visit.url.searchParams.keys())) {
    if (!name.startsWith("/") && !name.startsWith("#")) continue
    draft.delete(name)
    for (const value of visit.url.searchParams.getAll(name)) draft.append(name, value)
  }
  for (const name of pathNames(operation.path)) draft.set(name, visit.url.searchParams.get(name) ?? "")
  if (visit.url.searchParams.has("_next")) draft.set("_next", ownPath(visit.url.searchParams.get("_next")))
  draft.set(`/${operation.delivery}`, randomUUID())
  if (operation.name === "register_attempt") draft.set("/attemptId", randomUUID())
  if (form.fields.some(({ name }) => name === "reportedAt"))
    draft.set("/reportedAt", isoTime(visit.edge.instance.world.now()))
  const derived: Draft = new URLSearchParams()
  fill(derived, form, "", sheetOf(operation.name)?.initial?.(visit, draft) ?? {})
  const known = new Set(draft.keys())
  for (const [name, value] of derived) if (!known.has(name)) draft.append(name, value)
  return withOnlyThread(visit, operation, draft)
}

/** Chooses the Thread to write in, if the form asks for one and the Room has no other. */
export function withOnlyThread(visit: Visit, operation: Operation, draft: Draft): Draft {
  const asks = formOf(operation).fields.some(({ name, required }) => name === "threadId" && required)
  if (!asks || draft.has("/threadId")) return draft
  const threads =
    orNull(() => visit.ask("room_threads", { roomId: draft.get("/roomId") ?? "" }, { limit: 2 }))?.items ?? []
  if (threads.length === 1) draft.set("/threadId", threads[0]?.threadId ?? "")
  return draft
}

/** The issues of a refusal. One about a person who does not exist is about the field with the name. */
function issuesOf(refusal: Refusal | undefined, form: Form): readonly Issue[] {
  if (refusal === undefined) return []
  const isOfName = refusal.message.startsWith("There is no user named") && form.fields.some(isUsername)
  if (!isOfName) return refusal.details.issues ?? []
  return [
    { path: "/username", message: `${refusal.message} Check how it is spelled, or invite them with a link instead.` },
  ]
}
const isUsername = ({ name }: Field): boolean => name === "username"

export interface FormPage {
  readonly operation: Operation
  readonly draft: Draft
  /** The draft with complete names of inputs, so that issues find their fields. */
  readonly read?: Draft | undefined
  /** The draft as it was sent. Its expected values are compared with the current ones. */
  readonly sent?: Draft
  readonly refusal?: Refusal
  readonly preview?: boolean
  /** A note above the buttons, to read before sending. */
  readonly note?: Html
}

function preview(form: Field & { form: "object" }, draft: Draft): Html {
  const shown = form.fields.flatMap((field) => {
    const text = draft.get(`/${field.name}`)
    return field.form === "text" && MARKDOWN.includes(field.name) && text ? [{ text, max: field.max }] : []
  })
  return html`<section aria-label="Preview" class="preview">\
${
  shown.length === 0
    ? html`<p class="quiet">Nothing to preview yet.</p>`
    : shown.map(({ text, max }) =>
        charactersIn(text) > max
          ? html`<p class="fault">This is longer than ${max.toLocaleString("en")} characters, so there is no \
preview.</p>`
          : markdown(text),
      )
}</section>`
}

/** Counts code points, with line breaks as they will be stored. */
const charactersIn = (text: string): number => {
  let count = 0
  for (const _ of text.replaceAll("\r\n", "\n")) count += 1
  return count
}

/** Says why any write of this form by the visitor would be refused; null if it could be accepted. */
function barred(visit: Visit, operation: Operation, room: AnswerOf<"room"> | null): Html | null {
  if (room === null || operation.by === "person") return null
  const role = roleIn(visit, room)
  const isIn = role === "member" || role === "owner"
  if (!isIn || (room.state === "archived" && operation.archived !== "admitted")) return whyNot(visit, room)
  return operation.by === "owner" && role !== "owner"
    ? html`<p class="not-now">Only the owner of the Room may do this.</p>`
    : null
}

const unoffered = (offered: Offered | null): Html | null =>
  offered?.closed === undefined ? null : html`<p class="not-now">${offered.closed}</p>`

function subjectIn(visit: Visit, operation: Operation, draft: Draft): Subject {
  const names = [...formOf(operation).fields.map(({ name }) => name), ...pathNames(operation.path)]
  const isNew = (name: string) => operation.name === "register_attempt" && name === "attemptId"
  return subjectOf(
    visit,
    Object.fromEntries(names.map((name) => [name, isNew(name) ? undefined : givenIn(draft, name)])),
  )
}

const isBlank = (draft: Draft, at: string): boolean => draft.getAll(at).every((value) => value.trim() === "")

/** Whether the write may change a verdict. The form then offers to show the changes first. */
const showsVerdicts = ({ name }: Operation): boolean =>
  name === "link_experiment_finding" || companionOf(name) !== undefined

const givenIn = (draft: Draft, name: string): string | undefined =>
  draft.get(`/${name}`) || draft.get(name) || undefined

/** Returns the id of the Room that a form is about; undefined if unknown. */
export const roomOf = (visit: Visit, operation: Operation, draft: Draft): string | undefined =>
  subjectIn(visit, operation, draft).roomId

/** Returns the places of the inputs to hide, because their values are known. */
function hiddenPlaces(operation: Operation, draft: Draft): Set<string> {
  const kept = sheetOf(operation.name)?.kept ?? []
  const names = [...SUBJECTS, "threadId", "attemptId", ...kept.map((place) => place.slice(1))]
  // Text that a person typed instead of an id is not looked up yet, so its input stays visible.
  const isKnown = (name: string, value: string | undefined) =>
    value !== undefined && (!/(?<!arxiv|paper)Id$/.test(name) || isUuid(value))
  const hidden = new Set(names.filter((name) => isKnown(name, givenIn(draft, name))).map((name) => `/${name}`))
  if (operation.name === "register_attempt") hidden.add("/attemptId")
  if (operation.name === "post_message" || operation.name === "create_thread") hidden.add("/replyToEntryId")
  return hidden
}

/** Returns the page of the form, after a refusal with its faults. */
export function formPage(
  visit: Visit,
  { operation, draft, sent = draft, read = draft, refusal, preview: previewed = false, note }: FormPage,
): Shown {
  const sheet = sheetOf(operation.name)
  const offered = sheet?.offered?.(visit, draft) ?? null
  const form = offered === null ? formOf(operation) : offeredOf(formOf(operation), offered)
  const subject = subjectIn(visit, operation, draft)
  const room = subject.roomId === undefined ? null : orNull(() => visit.ask("room", { roomId: subject.roomId }))
  const name = offered?.heading ?? sheet?.heading ?? title(operation.name)
  const frame = { title: name, ...(room === null ? {} : { rail: roomRail(room) }) }
  const lines = subject.about.map((line) => html`<p>${line}</p>`)
  const about = lines.length === 0 ? null : html`<div class="about" aria-label="About">${lines}</div>`
  const lead = html`<h1>${name}</h1><p class="lead">${sheet?.lead ?? operation.summary}</p>${about}`
  const reason = refusal === undefined ? (barred(visit, operation, room) ?? unoffered(offered)) : null
  if (reason !== null) return { ...frame, body: html`${lead}${reason}` }
  // Words and roles are proposed from the sentence, so without a sentence they are not reported as missing.
  const lacksSentence = draft.get(WORDING)?.trim() === ""
  const isProposed = ({ at }: Fault) => at.startsWith("/concepts/0") || at.startsWith("/assertion/roles")
  const faults: readonly Fault[] = faultsOf(issuesOf(refusal, form), form, { draft, read, sheet }).filter(
    (fault) => !(lacksSentence && isProposed(fault) && isBlank(draft, fault.at)),
  )
  const byInput = Map.groupBy(faults, ({ at }) => at)
  const only = new Map([
    ...operation.onlyWhen.map(({ field, when }) => [`/${field}`, `/${when.field}=${when.in.join(",")}`] as const),
    ...Object.entries(sheet?.prompts ?? {}).flatMap(([place, prompt]) =>
      prompt?.only === undefined ? [] : [[place, prompt.only] as const],
    ),
  ])
  const state = {
    draft,
    faults: new Map([...byInput].map(([at, found]) => [at, found.map(({ sentence }) => sentence)])),
    hidden: hiddenPlaces(operation, draft),
    sheet,
    only,
    needed: new Set([
      ...operation.requiredWhen.flatMap(({ field, when }) =>
        only.get(`/${field}`) === `/${when.field}=${when.in.join(",")}` ? [`/${field}`] : [],
      ),
      ...(companionOf(operation.name) === undefined ? [] : [`${SAYS}/towardQuestion`]),
    ]),
    ...atHand(visit, operation, room?.roomId, draft),
  }
  const isMarkdown = form.fields.some(({ name, form: kind }) => MARKDOWN.includes(name) && kind === "text")
  const showsSimilarWork = showsSimilar(operation.name) && room !== null
  const similar = showsSimilarWork
    ? html`<aside class="near" id="near" aria-live="polite">\
${previewed || refusal !== undefined ? similarTo(visit, room.roomId, draft) : null}</aside>`
    : null
  const inPath = hiddenInputs(pathNames(operation.path).map((name) => [name, draft.get(name) ?? ""]))
  const subjects = [...SUBJECTS, "provenance/execution/experimentId"].flatMap((name) => givenIn(draft, name) ?? [])
  return {
    ...frame,
    status: refusal?.status ?? 200,
    body: html`${lead}
${refusal === undefined ? null : refusedForm(refusal, faults, sent, sheet)}\
${previewed && isMarkdown ? preview(form, draft) : null}
<div class="${showsSimilarWork ? "writing" : ""}">\
<form class="stack" method="post" action="${to(`/web/${operation.name}`)}" \
data-draft="${operation.name}-${subjects.join("-")}" \
data-state="${refusal === undefined ? "fresh" : "refused"}"${
      refusal === undefined && !previewed && note === undefined ? html` data-begin` : null
    } novalidate>
<button class="aside" tabindex="-1" aria-hidden="true">Send</button>
<input type="hidden" name="/${operation.delivery}" value="${draft.get(`/${operation.delivery}`)}">${inPath}\
${hiddenInputs([["_next", draft.get("_next")]])}${laidOut(form, sheet, state)}
<div class="sending"><div class="changes" id="changes" role="status">${note}</div>
<div class="buttons"><button>${sheet?.send ?? name}</button>
  ${
    isMarkdown || showsSimilarWork
      ? html`<button class="quiet" name="_preview" value="1">\
${isMarkdown ? "Preview" : "Was it tried before?"}</button>`
      : null
  }${
    showsVerdicts(operation) ? html`<button class="quiet" name="_rehearse" value="1">See what changes</button>` : null
  }${room === null ? null : html`<a href="${to(`/rooms/${room.roomId}`)}">Cancel</a>`}</div></div></form>
${similar}</div>`,
  }
}
