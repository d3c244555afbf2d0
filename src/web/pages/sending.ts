/** Sends a form as one write, or as two writes that are accepted together or not at all. */
import { randomUUID } from "node:crypto"
import { v5 } from "uuid"
import type { Receipt } from "../../contract/answers/index.ts"
import { checkBody, type Operation, pathNames } from "../../contract/definitions/operation.ts"
import { trusted } from "../../contract/json.ts"
import { jsonObject } from "../../contract/json.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"
import { mustBeSignedIn, personActor } from "../../edge/identity/callers.ts"
import { type Decoded, type DecodedBatch, sendBatch, sendWrite } from "../../edge/requests/writes.ts"
import type { Draft } from "../forms/draft.ts"
import type { ReadDraft } from "../forms/reading.ts"
import { type Also, inForm, parted, type Parted } from "../forms/saying.ts"
import type { Visit } from "../visit.ts"

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
export function faultsIn(operation: Operation, draft: Draft, read: ReadDraft): Issue[] {
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
export async function sendForm(
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
