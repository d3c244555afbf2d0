/** The form of any operation, made from the operation's schema, and what follows when it is sent. */
import { randomUUID } from "node:crypto"
import { getCookie } from "h3"
import * as v from "valibot"
import { v5 } from "uuid"
import type { Answer } from "../../edge/answers/answer.ts"
import type { Receipt } from "../../contract/answers/receipts.ts"
import { type Operation, checkBody, pathNames } from "../../contract/definitions/operation.ts"
import { limits } from "../../contract/limits.ts"
import type { TargetKind } from "../../contract/objects/objects.ts"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { type OperationName, operationNamed } from "../../contract/operations/index.ts"
import { Refusal, type Issue } from "../../contract/refusals.ts"
import { readFormBody } from "../../edge/limits/body.ts"
import { mustBeSignedIn, mustComeFromOwnPage, personActor } from "../../edge/identity/callers.ts"
import { pathOf, withQuery, type Html, html } from "../html.ts"
import { countName, type Draft, withItem } from "../forms/draft.ts"
import { formOf as fieldsOf } from "../forms/fields.ts"
import { WORDING, withProposal } from "../forms/statement.ts"
import { atHand, type ReadDraft, readDraft, withRepository } from "../forms/reading.ts"
import { takesUnseen } from "../forms/table.ts"
import { stateBadge } from "../parts/marks.ts"
import { ownPath, redirected, signInPath, toSignIn, type Shown, type Visit, type WebPage } from "../visit.ts"
import { type FormPage, formPage, opening, roomOf, withOnlyThread } from "./form-page.ts"
import { secretPage } from "./connect.ts"
import { refusedPage } from "./making.ts"
import { linkExperimentFinding } from "../../contract/nouns/links.ts"
import { counted } from "../words.ts"
import { withheldPage, withholdPage } from "./withhold.ts"
import { trusted, jsonObject } from "../../contract/json.ts"
import { type Decoded, type DecodedBatch, sendBatch, sendWrite } from "../../edge/requests/writes.ts"
import { type Also, inForm, parted, type Parted } from "../forms/saying.ts"

// Sends a form as one write, or as two writes that are accepted together or not at all.

/** A placeholder for the id that the first write will make, to check the second before sending. */
const NOT_YET = "00000000-0000-0000-0000-000000000000"
/** The reference by which the second write takes the id from the first one's receipt. */
const MADE = { $from: "first", path: "/targetId" }

const wholeBody = (operation: Operation, draft: Draft, body: Readonly<Record<string, unknown>>) => ({
  schemaVersion: operation.schemaVersion,
  [operation.delivery]: draft.get(`/${operation.delivery}`) ?? randomUUID(),
  ...body,
})
const paramsOf = (operation: Operation, draft: Draft): Record<string, string> =>
  Object.fromEntries(pathNames(operation.path).map((name) => [name, (draft.get(name) ?? "").toLowerCase()]))

const issuesOf = (operation: Operation, body: Readonly<Record<string, unknown>>): readonly Issue[] => {
  const checked = checkBody(operation, body)
  return checked.ok ? [] : checked.issues
}
const alsoIssues = ({ operation, body, at }: Also): Issue[] =>
  issuesOf(operation, { ...body, findingVersionId: NOT_YET }).map((issue) => ({ ...issue, path: at(issue.path) }))

/** Returns the faults in a draft that can be found before it is sent. */
function faultsIn(operation: Operation, draft: Draft, read: ReadDraft): Issue[] {
  const { body, at, also } = parted(operation, draft, read.body)
  const isReported = (path: string) => read.issues.some((issue) => `${path}/`.startsWith(`${issue.path}/`))
  const own = issuesOf(operation, wholeBody(operation, draft, body)).map((issue) => ({
    ...issue,
    path: at(issue.path),
  }))
  return [
    ...read.issues,
    ...[...own, ...(also === null ? [] : alsoIssues(also))].filter(({ path }) => !isReported(path)),
  ]
}

/** @throws Refusal `invalid_schema` if the draft cannot be read or its second write has faults */
function mustBeRead(operation: Operation, draft: Draft, read: ReadDraft, also: Also | null): void {
  if (read.issues.length === 0 && (also === null || alsoIssues(also).length === 0)) return
  throw new Refusal("invalid_schema", "Some of what you wrote cannot be read.", {
    issues: faultsIn(operation, draft, read),
  })
}

const one = (operation: Operation, draft: Draft, { body }: Parted): Decoded => ({
  params: paramsOf(operation, draft),
  body: wholeBody(operation, draft, body),
})
const both = (operation: Operation, draft: Draft, { body }: Parted, also: Also): DecodedBatch["writes"] => [
  {
    as: MADE.$from,
    operation,
    params: paramsOf(operation, draft),
    body: jsonObject(wholeBody(operation, draft, body)),
  },
  { as: null, operation: also.operation, params: {}, body: jsonObject({ ...also.body, findingVersionId: MADE }) },
]

/** The end of an attempt whose start was never reported: both are reported in one go. */
const endsUnstarted = ({ name }: Operation, { expectedStatus, event }: Readonly<Record<string, unknown>>): boolean =>
  name === "report_attempt_event" && expectedStatus === "registered" && (event === "succeeded" || event === "failed")

function startAndEnd(operation: Operation, draft: Draft, body: Readonly<Record<string, unknown>>) {
  const end = wholeBody(operation, draft, body)
  const { attemptId, expectedRevision, expectedStatus, reportedAt, schemaVersion } = end
  const requestId = v5("start", String(end[operation.delivery]))
  const start = { schemaVersion, requestId, attemptId, expectedRevision, expectedStatus, event: "started", reportedAt }
  const ended = { ...end, expectedRevision: Number(expectedRevision) + 1, expectedStatus: "started" }
  return [start, ended].map((each) => ({ as: null, operation, params: {}, body: jsonObject(each) }))
}

/**
 * Sends a form. @param read reads the draft @param rehearse whether to check everything and store nothing
 * @returns the receipts, the form's own first
 * @throws Refusal, its issues at their places in the form
 */
async function sendForm(
  { edge, event }: Visit,
  operation: Operation,
  draft: Draft,
  read: () => ReadDraft,
  rehearse = false,
): Promise<Receipt[]> {
  const actor = personActor(mustBeSignedIn(edge, event))
  const found = read()
  const parts = parted(operation, draft, found.body)
  const { also } = parts
  try {
    if (endsUnstarted(operation, parts.body)) {
      const decode = async (): Promise<DecodedBatch> => {
        mustBeRead(operation, draft, found, also)
        return { writes: startAndEnd(operation, draft, parts.body), rehearse }
      }
      return (await sendBatch(edge, event, actor, decode)).map((text) => trusted<Receipt>(text)).toReversed()
    }
    if (also === null) {
      const decode = (): Decoded => {
        mustBeRead(operation, draft, found, also)
        return { ...one(operation, draft, parts), rehearse }
      }
      return [trusted<Receipt>(await sendWrite(edge, event, operation, actor, decode))]
    }
    const decode = async (): Promise<DecodedBatch> => {
      mustBeRead(operation, draft, found, also)
      return { writes: both(operation, draft, parts, also), rehearse }
    }
    return (await sendBatch(edge, event, actor, decode)).map((text) => trusted<Receipt>(text))
  } catch (error) {
    if (!(error instanceof Refusal) || error.details.issues === undefined) throw error
    const issues = error.details.issues.map((issue) => inForm(issue, parts))
    const [, why = error.message] = error.message.split("nothing of the batch was stored: ")
    throw new Refusal(error.code, why, { ...error.details, issues })
  }
}

function operationIn({ params }: Visit): Operation {
  const operation = operationNamed(params.operation ?? "")
  if (operation === undefined) throw new Refusal("unknown_operation", "There is no such form.")
  return operation
}

/** `/do/{operation}`: the form with what is already known, or the reason why a write would be refused. */
export function actPage(visit: Visit): Shown | Answer {
  const operation = operationIn(visit)
  if (visit.person === undefined) return toSignIn(visit)
  return formOf(visit, { operation, draft: opening(visit, operation) })
}

/** Returns the form of an operation. Withholding has a form of its own. */
const formOf = (visit: Visit, form: FormPage): Shown =>
  isOf({ operation: form.operation.name }, "withhold_content")
    ? withholdPage(visit, form.draft, form.refusal)
    : formPage(visit, form)

/** Adds the operation that was just stored to an address, so that the page confirms it. */
function withDone(path: string, { name }: Operation): string {
  const [before = "", fragment] = path.split("#")
  return `${before}${before.includes("?") ? "&" : "?"}done=${name}${fragment === undefined ? "" : `#${fragment}`}`
}

type Place = (receipt: Receipt & { readonly operation: string }) => string
const isOf = ({ operation }: { readonly operation: string }, name: OperationName): boolean => operation === name
const library = () => "/library"
const ofRoom: Place = ({ roomId }) => `/rooms/${roomId}`
const inThread: Place = ({ threadId, entry }) => withQuery(`/threads/${threadId}`, { entry: entry?.entryId })
const peopleOf: Place = ({ roomId }) => `/rooms/${roomId}/people`

/** Paths to show after a write, for targets without a page. Other such targets are shown by their entry in a Thread. */
const places: Readonly<Partial<Record<TargetKind, Place>>> = {
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

/** Returns the path to show after an accepted write. */
export function placeOf(operation: Operation, receipt: Receipt): string {
  const { target, entry } = receipt
  const written = { ...receipt, operation: operation.name }
  const place =
    places[operation.target]?.(written) ?? pathOf(target.kind, target.id) ?? (entry === null ? "/" : inThread(written))
  return withDone(target.kind === "message" && entry !== null ? `${place}#entry-${entry.entryId}` : place, operation)
}

/** Updates the expected values in a draft to the state that the refusal showed, which the person has now seen. */
function withCurrent(draft: Draft, { details }: Refusal): Draft {
  const expected = details.current?.expected
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) return draft
  const updated = new URLSearchParams(draft)
  for (const [name, value] of Object.entries(expected))
    if (updated.has(`/${name}`)) updated.set(`/${name}`, String(value))
  return updated
}

/** Adds words and roles proposed from the draft's sentence, if the draft has none. */
function withStructure(visit: Visit, operation: Operation, draft: Draft): Draft {
  if (!draft.has(WORDING) || !fieldsOf(operation).fields.some(({ name }) => name === "assertion")) return draft
  return withProposal(draft, atHand(visit, operation, roomOf(visit, operation, draft), draft).suggestions)
}
const READ_FIRST = html`<p>Nothing is reported yet. Check how the table is read, then report it.</p>`
const SEEN_FIRST = html`<p>Words and roles are proposed from your sentence. Check them, then publish.</p>`

const readAs = (became: readonly string[]): Html =>
  html`${became.map((sentence) => html`<p>${sentence}</p>`)}<p>Check it, then send the form again.</p>`

/** Lists the verdicts that a rehearsed write would change: "H1: untested → supported, by its author alone". */
function changesIn(receipts: readonly Receipt[]): Html {
  const moved = receipts.flatMap(({ result }) => (v.is(linkExperimentFinding.result, result) ? result.verdicts : []))
  if (moved.length === 0) return html`<p>It would be accepted. No verdict changes.</p>`
  return html`<ul class="lines">${moved.map(
    ({ label, before, verdict, independent }) =>
      html`<li><strong>${label}${before === verdict ? " stays" : ":"}</strong> \
${before === verdict ? null : html`${stateBadge(before)} → `}${stateBadge(verdict)}${
  verdict === "untested"
    ? null
    : `, by ${independent === 0 ? "its author alone" : counted(independent, "other person", "other people")}`
}</li>`,
  )}</ul>`
}

/**
 * Maximum size of an operation's form in bytes: three for each byte of content, as browsers encode it, and the names of
 * inputs.
 */
const formBytes = ({ contentBytes }: Operation): number =>
  Math.min(limits.requestBodyBytes, 3 * contentBytes + limits.smallFormBytes)

/** Matches an id, a number or a chosen word, which nobody needs back. */
const NOT_WRITTEN = /^[\w.:-]{0,64}$/

/** The page for a form that was sent after the session had ended. It has what was written, as plain text to copy. */
function endedPage(visit: Visit, refusal: Refusal, draft: Draft): Shown {
  const { body, ...page } = refusedPage(refusal, false, signInPath(visit))
  const written = [...draft].filter(([name, value]) => !name.startsWith("_") && !NOT_WRITTEN.test(value))
  if (written.length === 0) return { ...page, body }
  const area = ([, value]: [string, string], index: number) =>
    html`<div class="field"><label for="written-${index}">Text ${index + 1}</label>
<textarea id="written-${index}" readonly rows="6">${html`\n${value}`}</textarea></div>`
  return {
    ...page,
    body: html`${body}<section><h2>What you wrote</h2>
<p>It is not stored. Copy it, sign in, and send it again.</p>${written.map(area)}</section>`,
  }
}

/** `POST /web/{operation}`: handles a submitted form. */
export async function submitOperation(visit: Visit): Promise<Answer | WebPage> {
  mustComeFromOwnPage(visit.edge, visit.event)
  const operation = operationIn(visit)
  try {
    // Checked first, so that nothing is read or rendered for a visitor who is not signed in.
    mustBeSignedIn(visit.edge, visit.event)
  } catch (error) {
    if (!(error instanceof Refusal) || getCookie(visit.event, sessionCookie) === undefined) throw error
    const lost = await readFormBody(visit.event, formBytes(operation))
    return (later) => endedPage(later, error, lost)
  }
  const draft = await readFormBody(visit.event, formBytes(operation))
  const [add, remove, previewed, rehearsed] = [
    draft.get("_add"),
    draft.get("_remove"),
    draft.has("_preview"),
    draft.has("_rehearse"),
  ]
  const isUnread = takesUnseen(draft)
  const isToRead = draft.has("_read")
  for (const name of ["_add", "_remove", "_preview", "_rehearse", "_read"]) draft.delete(name)
  if (add !== null || remove !== null) {
    if (add !== null && !draft.has(countName(add))) draft.set(countName(add), "0")
    return (later) => formOf(later, { operation, draft: withItem(draft, { add, remove }) })
  }
  if (isToRead) return (later) => formOf(later, { operation, draft })
  // Nothing is reported before its author has seen what a table was read as.
  if (isUnread) return (later) => formOf(later, { operation, draft, note: READ_FIRST })
  const { draft: named, became } = withRepository(visit, () => roomOf(visit, operation, draft), draft)
  const proposed = withStructure(visit, operation, named)
  if (previewed)
    return (later) => formOf(later, { operation, draft: withOnlyThread(later, operation, proposed), preview: true })
  let read: ReadDraft | undefined
  const reading = (): ReadDraft => {
    read = readDraft(visit, operation, roomOf(visit, operation, proposed), proposed)
    return read
  }
  // Nothing is kept before the person has seen what their text became.
  if (became.length > 0 && !rehearsed)
    return (later) => formOf(later, { operation, draft: proposed, note: readAs(became) })
  // The person sees a proposal before it is published.
  if (proposed !== named && !rehearsed && faultsIn(operation, proposed, reading()).length === 0)
    return (later) => formOf(later, { operation, draft: proposed, note: SEEN_FIRST })
  try {
    const [receipt, ...others] = await sendForm(visit, operation, proposed, reading, rehearsed)
    if (receipt === undefined) throw new Error("a write has a receipt")
    if (rehearsed)
      return (later) => formOf(later, { operation, draft: proposed, note: changesIn([receipt, ...others]) })
    if (typeof receipt.result.token === "string") return (later) => secretPage(later, operation, receipt)
    if (typeof receipt.result.mayStillHold === "string") return (later) => withheldPage(later, receipt)
    return redirected(
      visit,
      draft.has("_next") ? withDone(ownPath(draft.get("_next")), operation) : placeOf(operation, receipt),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const next = withCurrent(read?.draft ?? proposed, error)
    if (error.code === "request_conflict") next.set(`/${operation.delivery}`, randomUUID())
    return (later) => formOf(later, { operation, draft: next, sent: draft, read: read?.spelled, refusal: error })
  }
}
