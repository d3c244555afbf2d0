/** The form of any operation, and what comes of it: made from the operation's own schema, admitted through the ledger's one door. */
import type { Answer } from "../../edge/answer.ts"
import { randomUUID } from "node:crypto"
import type { Receipt } from "../../contract/answers.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { checkBody, type Operation, pathNames } from "../../contract/operation.ts"
import { limits } from "../../contract/limits.ts"
import type { PagedKind, TargetKind } from "../../contract/objects.ts"
import { type OperationName, operationNamed } from "../../contract/operations/index.ts"
import { type Issue, Refusal, refusals } from "../../contract/refusals.ts"
import { readFormBody } from "../../edge/body.ts"
import { mustBeSignedIn, mustComeFromOwnPage, personActor } from "../../edge/callers.ts"
import { type Decoded, sendWrite } from "../../edge/writes.ts"
import { isoTime } from "../../ledger/world.ts"
import { pathOf, withQuery } from "../addresses.ts"
import { bodyOf, countName, type Draft, fill, issueField, withItem } from "../forms/draft.ts"
import { type Field, formOf } from "../forms/fields.ts"
import { choicesOf } from "../forms/choices.ts"
import { dataLists, fields, forPeople, idOf } from "../forms/render.ts"
import { type Subject, subjectOf } from "../forms/subject.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { markdown } from "../markdown.ts"
import { roleIn, whyNot } from "../parts/actions.ts"
import { roomRail } from "../parts/room-frame.ts"
import { similarTo, tellsSimilar } from "../parts/similar.ts"
import { ownPath, redirected } from "../redirect.ts"
import { orNull, type Shown, type Visit, type WebPage } from "../visit.ts"
import { title, words } from "../words.ts"
import { secretPage } from "./secret.ts"

/** Ids a form is opened with: they say what it is about, and are not asked for again. */
const SUBJECTS = [
  "roomId",
  "collectionId",
  "arxivId",
  "replyToNoteId",
  "experimentId",
  "materialId",
  "targetVersionId",
  "linkId",
  "expectedRevision",
  "expectedStatus",
  "expectedWatermark",
]
/** Texts of Markdown that a preview shows. */
const MARKDOWN = ["text", "message", "synthesis", "handoff", "summary"]

function operationIn({ params }: Visit): Operation {
  const operation = operationNamed(params.operation ?? "")
  if (operation === undefined) throw new Refusal("unknown_operation", "There is no such operation.")
  return operation
}

/** The draft a form opens with: what the address says, and what can be known. */
function opening(visit: Visit, operation: Operation, form: Field & { form: "object" }): Draft {
  const draft: Draft = new URLSearchParams()
  for (const field of form.fields) {
    const given = visit.url.searchParams.getAll(field.name)
    if (given.length > 0) fill(draft, field, `/${field.name}`, field.form === "lines" || field.form === "boxes" ? given : given[0])
  }
  for (const [name, value] of visit.url.searchParams) if (name.startsWith("/") || name.startsWith("#")) draft.set(name, value)
  for (const name of pathNames(operation.path)) draft.set(name, visit.url.searchParams.get(name) ?? "")
  if (visit.url.searchParams.has("_next")) draft.set("_next", ownPath(visit.url.searchParams.get("_next")))
  draft.set(`/${operation.delivery}`, randomUUID())
  if (operation.name === "register_attempt") draft.set("/attemptId", randomUUID())
  if (form.fields.some(({ name }) => name === "reportedAt")) draft.set("/reportedAt", isoTime(visit.edge.instance.world.now()))
  return draft
}

interface FormPage {
  readonly operation: Operation
  readonly draft: Draft
  readonly refusal?: Refusal
  readonly preview?: boolean
}

function said(refusal: Refusal, form: Field & { form: "object" }, draft: Draft): Html {
  const { code, details } = refusal
  const current = Object.entries(details.current ?? {}).filter(([, value]) => typeof value !== "object" && value !== null)
  const expects = details.current?.expected !== undefined
  return html`<div class="refused" role="alert" id="refused" tabindex="-1"><h2>Not stored</h2>
    <p>${code === "invalid_schema" ? "Nothing was lost. Correct what is listed here and send it again." : refusal.message} ${details.committed === null ? "Whether it was stored is not known: send it again as it is." : null}</p>
${
  details.issues === undefined || details.issues.length === 0
    ? html`<p>${refusals[code].remedy}</p>`
    : html`<ul>${details.issues.map(
        ({ path, message }) =>
          html`<li><a href="#${idOf(issueField(path, form, draft))}">${
            words(
              path
                .split("/")
                .filter((step) => step !== "" && !/^\d+$/.test(step))
                .join(", "),
            ) || "the whole"
          }</a> ${forPeople(message)}</li>`,
      )}</ul>`
}
${current.length === 0 ? null : html`<p>As it is now:</p><dl class="facts">${current.map(([name, value]) => html`<div><dt>${title(name)}</dt><dd>${String(value)}</dd></div>`)}</dl>`}
${expects ? html`<p>Your draft is below as you wrote it. Sending it again takes it as written for this new state.</p>` : null}</div>`
}

/** Issues by the input they are about. */
function byField(refusal: Refusal | undefined, form: Field & { form: "object" }, draft: Draft): Map<string, Issue[]> {
  return Map.groupBy(refusal?.details.issues ?? [], ({ path }) => issueField(path, form, draft))
}

function preview(form: Field & { form: "object" }, draft: Draft): Html {
  const shown = form.fields.flatMap((field) => {
    const text = draft.get(`/${field.name}`)
    return field.form === "text" && MARKDOWN.includes(field.name) && text ? [{ text, max: field.max }] : []
  })
  return html`<section aria-label="Preview" class="preview">${shown.length === 0 ? html`<p class="quiet">Nothing to preview yet.</p>` : shown.map(({ text, max }) => (charactersIn(text) > max ? html`<p class="fault">This is longer than the ${max.toLocaleString("en")} characters it may have, so it is not shown.</p>` : markdown(text)))}</section>`
}

/** Code points, with line breaks as they will be stored. */
const charactersIn = (text: string): number => {
  let count = 0
  for (const _ of text.replaceAll("\r\n", "\n")) count += 1
  return count
}

/** Why a write of the visitor's would be refused whatever its form held; nothing where it would not. */
function barred(visit: Visit, operation: Operation, room: AnswerOf<"room"> | null): Html | null {
  if (room === null || operation.by === "person") return null
  const role = roleIn(visit, room)
  const isIn = role === "member" || role === "owner"
  if (!isIn || (room.state === "archived" && operation.archived !== "admitted")) return whyNot(visit, room)
  return operation.by === "owner" && role !== "owner" ? html`<p class="not-now">Only the owner of the Room may do this.</p>` : null
}

function formPage(visit: Visit, { operation, draft, refusal, preview: previewed = false }: FormPage): Shown {
  const form = formOf(operation)
  const given = (name: string) => draft.get(`/${name}`) || draft.get(name) || undefined
  const names = [...form.fields.map(({ name }) => name), ...pathNames(operation.path)]
  const subject: Subject = subjectOf(
    visit,
    Object.fromEntries(
      names.map((name) => [name, operation.name === "register_attempt" && name === "attemptId" ? undefined : given(name)]),
    ),
  )
  const room = subject.roomId === undefined ? null : orNull(() => visit.ask("room", { roomId: subject.roomId }))
  const name = title(operation.name)
  const frame = { title: name, ...(room === null ? {} : { rail: roomRail(room) }) }
  const about =
    subject.about.length === 0
      ? null
      : html`<div class="about" aria-label="About">${subject.about.map((line) => html`<p>${line}</p>`)}</div>`
  const why = refusal === undefined ? barred(visit, operation, room) : null
  if (why !== null) return { ...frame, body: html`<h1>${name}</h1><p class="lead">${operation.summary}</p>${about}${why}` }
  const known = SUBJECTS.filter((name) => given(name) !== undefined)
  const hidden = new Set(
    [...known, "attemptId", ...(given("threadId") === undefined ? [] : ["threadId"])]
      .filter((name) => operation.name === "register_attempt" || name !== "attemptId" || given("attemptId") !== undefined)
      .map((name) => `/${name}`),
  )
  if (operation.name === "post_message" || operation.name === "create_thread") hidden.add("/replyToEntryId")
  const state = {
    draft,
    issues: byField(refusal, form, draft),
    choices: choicesOf(visit, subject.roomId, operation.family === "library"),
    hidden,
  }
  const isMarkdown = form.fields.some(({ name, form: kind }) => MARKDOWN.includes(name) && kind === "text")
  const tried = previewed && tellsSimilar(operation.name) && room !== null ? similarTo(visit, room.roomId, draft) : null
  const inPath: Content = pathNames(operation.path).map((name) => html`<input type="hidden" name="${name}" value="${draft.get(name)}">`)
  return {
    ...frame,
    status: refusal?.status ?? 200,
    body: html`<h1>${name}</h1><p class="lead">${operation.summary}</p>
${about}
${refusal === undefined ? null : said(refusal, form, draft)}${previewed && isMarkdown ? preview(form, draft) : null}${tried}
<form class="stack" method="post" action="${to(`/web/${operation.name}`)}" data-draft="${operation.name}-${known.map((name) => given(name)).join("-")}" data-state="${refusal === undefined ? "fresh" : "refused"}" novalidate>
<button class="aside" tabindex="-1" aria-hidden="true">Send</button>
<input type="hidden" name="/${operation.delivery}" value="${draft.get(`/${operation.delivery}`)}">${inPath}${draft.has("_next") ? html`<input type="hidden" name="_next" value="${draft.get("_next")}">` : null}${fields(form.fields, "", state)}
<div class="buttons"><button>${name}</button>
  ${isMarkdown || tellsSimilar(operation.name) ? html`<button class="quiet" name="_preview" value="1">${isMarkdown ? "Preview" : "Was it tried before?"}</button>` : null}${room === null ? null : html`<a href="${to(`/rooms/${room.roomId}`)}">Leave it</a>`}</div>
  ${dataLists(form, state.choices)}</form>`,
  }
}

/** `/do/{operation}`: the form, empty but for what is known; or, before anything is filled in, why it would be refused. */
export function actPage(visit: Visit): Shown | Answer {
  const operation = operationIn(visit)
  if (visit.person === undefined) return redirected(visit, withQuery("/sign-in", { next: `${visit.url.pathname}${visit.url.search}` }))
  return formPage(visit, { operation, draft: opening(visit, operation, formOf(operation)) })
}

/** An address that says what was just stored. */
function withDone(path: string, { name }: Operation): string {
  const [before = "", fragment] = path.split("#")
  return `${before}${before.includes("?") ? "&" : "?"}done=${name}${fragment === undefined ? "" : `#${fragment}`}`
}

type Place = (receipt: Receipt & { readonly operation: string }) => string
const isOf = ({ operation }: { readonly operation: string }, name: OperationName): boolean => operation === name
const library = () => "/library"
const ofRoom: Place = ({ roomId }) => `/rooms/${roomId}`
const peopleOf: Place = ({ roomId }) => `/rooms/${roomId}/people`

/** Where a write is to be seen whose target has no page of its own. */
const places: Readonly<Record<Exclude<TargetKind, PagedKind | "record">, Place>> = {
  message: ({ threadId, entry }) => withQuery(`/threads/${threadId}`, { entry: entry?.entryId }),
  person: peopleOf,
  member: (receipt) => (isOf(receipt, "remove_member") ? ofRoom(receipt) : peopleOf(receipt)),
  join_request: (receipt) => (isOf(receipt, "request_to_join") ? ofRoom(receipt) : peopleOf(receipt)),
  credential: peopleOf,
  personal_key: () => "/account",
  library,
  note: library,
  collection_invitation: library,
  highlight: library,
  annotation: library,
  reading_position: library,
}

/** Where an accepted write is to be seen. */
export function placeOf(operation: Operation, receipt: Receipt): string {
  const { target, entry } = receipt
  const isUnpaged = (kind: TargetKind): kind is keyof typeof places => Object.hasOwn(places, kind)
  const place = isUnpaged(operation.target)
    ? places[operation.target]({ ...receipt, operation: operation.name })
    : (pathOf(target.kind, target.id) ?? "/")
  return withDone(target.kind === "message" && entry !== null ? `${place}#entry-${entry.entryId}` : place, operation)
}

/** What a form holds, as the write's own body. @throws Refusal `invalid_schema` for what cannot be read */
function decoded(operation: Operation, draft: Draft): Decoded {
  const { body, issues } = bodyOf(formOf(operation), draft)
  const whole = {
    schemaVersion: operation.schemaVersion,
    [operation.delivery]: draft.get(`/${operation.delivery}`) ?? randomUUID(),
    ...body,
  }
  if (issues.length > 0) {
    const checked = checkBody(operation, whole)
    throw new Refusal("invalid_schema", "Some of what you wrote cannot be read.", {
      issues: [...issues, ...(checked.ok ? [] : checked.issues)],
    })
  }
  return { params: Object.fromEntries(pathNames(operation.path).map((name) => [name, (draft.get(name) ?? "").toLowerCase()])), body: whole }
}

async function admitted({ edge, event }: Visit, operation: Operation, draft: Draft): Promise<Receipt> {
  const actor = personActor(mustBeSignedIn(edge, event))
  return JSON.parse(await sendWrite(edge, event, operation, actor, () => decoded(operation, draft))) as Receipt
}

/** Takes the state that a refusal told of as what is expected next: the person has now seen it. */
function withCurrent(draft: Draft, { details }: Refusal): Draft {
  const expected = details.current?.expected
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) return draft
  const made = new URLSearchParams(draft)
  for (const [name, value] of Object.entries(expected)) if (made.has(`/${name}`)) made.set(`/${name}`, String(value))
  return made
}

/** Bytes that an operation's form may be: its content, each byte of which a browser writes as three at most, and the names of its inputs. */
const formBytes = ({ contentBytes }: Operation): number => Math.min(limits.requestBodyBytes, 3 * contentBytes + limits.smallFormBytes)

/** `POST /web/{operation}`: what a form sends. */
export async function actSent(visit: Visit): Promise<Answer | WebPage> {
  mustComeFromOwnPage(visit.edge, visit.event)
  // Before anything is read, looked up or rendered for somebody.
  mustBeSignedIn(visit.edge, visit.event)
  const operation = operationIn(visit)
  const draft = await readFormBody(visit.event, formBytes(operation))
  const [add, remove, previewed] = [draft.get("_add"), draft.get("_remove"), draft.has("_preview")]
  for (const name of ["_add", "_remove", "_preview"]) draft.delete(name)
  if (add !== null || remove !== null) {
    if (add !== null && !draft.has(countName(add))) draft.set(countName(add), "0")
    return (again) => formPage(again, { operation, draft: withItem(draft, { add, remove }) })
  }
  if (previewed) return (again) => formPage(again, { operation, draft, preview: true })
  try {
    const receipt = await admitted(visit, operation, draft)
    if (typeof receipt.result.token === "string") return (again) => secretPage(again, operation, receipt)
    return redirected(visit, draft.has("_next") ? withDone(ownPath(draft.get("_next")), operation) : placeOf(operation, receipt))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const next = withCurrent(draft, error)
    if (error.code === "request_conflict") next.set(`/${operation.delivery}`, randomUUID())
    return (again) => formPage(again, { operation, draft: next, refusal: error })
  }
}
