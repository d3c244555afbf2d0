/**
 * Checks every answer of the service against the contract: reads against the schema of their definition, receipts
 * against their operation, refusals against the envelope. So the documents cannot drift from the service.
 */
import assert from "node:assert/strict"
import type { Fetch } from "research-room/client"
import * as v from "valibot"
import { actions } from "../../src/contract/operations/actions.ts"
import { receipt, refusal } from "../../src/contract/answers/receipts.ts"
import { smallReceipt } from "../../src/contract/operations/receipts.ts"
import { discoveryRoutes } from "../../src/discovery/routes.ts"
import { browserPath } from "../../src/contract/definitions/operation.ts"
import { batch, batchAnswer, smallBatchAnswer } from "../../src/contract/operations/batch.ts"
import { uploadedFigure, uploadFigure } from "../../src/contract/definitions/attachments.ts"
import { uploadedLog, uploadLog } from "../../src/contract/definitions/attachments.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { browserReadPath, isText, type MediaType, type Read } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { type RefusalCode, refusals } from "../../src/contract/refusals.ts"
import { check } from "../../src/contract/schema/validation.ts"
import { familyOf, schemaVersions } from "../../src/contract/service.ts"
import { commonHeaders } from "../../src/edge/answers/answer.ts"
import { MARKDOWN, markdownPath } from "../../src/edge/answers/as-markdown.ts"
import { textOf } from "./streams.ts"

interface Route {
  readonly method: string
  readonly path: RegExp
  readonly name: string
  /** The media types it may answer in, each with the check of the body. */
  readonly forms: Readonly<Record<string, readonly v.GenericSchema[]>>
  /** Its answer to `receipt=small`. */
  readonly small?: v.GenericSchema
}

const pattern = (path: string) => new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{[a-zA-Z]+\}/g, "[^/]+")}/?$`)

const json = "application/json"
const formsOf = (read: Read) =>
  Object.fromEntries([read, ...Object.values(read.formats)].map(({ mediaType, answer }) => [mediaType, [answer]]))
const routes: readonly Route[] = [
  ...[...reads, ...discoveryRoutes].map((read) => ({
    method: read.method,
    path: pattern(read.path),
    name: read.name,
    forms: formsOf(read),
  })),
  ...reads.flatMap((read) => {
    const path = browserReadPath(read)
    return path === null ? [] : [{ method: read.method, path: pattern(path), name: read.name, forms: formsOf(read) }]
  }),
  ...reads.flatMap((read) => {
    const path = markdownPath(read)
    const { [json]: _, ...forms } = formsOf(read)
    const { method, name } = read
    return path === null
      ? []
      : [{ method, path: pattern(path), name: `${name} as Markdown`, forms: { ...forms, [MARKDOWN]: [v.string()] } }]
  }),
  ...actions.map(({ method, path, name, answer }) => ({
    method,
    path: pattern(path),
    name,
    forms: { [json]: [answer] },
  })),
  ...[batch.path, batch.browserPath].map((path) => ({
    method: batch.method,
    path: pattern(path),
    name: batch.name,
    forms: { [json]: [batchAnswer] },
    small: smallBatchAnswer,
  })),
  ...[uploadFigure.path, uploadFigure.browserPath].map((path) => ({
    method: uploadFigure.method,
    path: pattern(path),
    name: uploadFigure.name,
    forms: { [json]: [uploadedFigure] },
  })),
  ...[uploadLog.path, uploadLog.browserPath].map((path) => ({
    method: uploadLog.method,
    path: pattern(path),
    name: uploadLog.name,
    forms: { [json]: [uploadedLog] },
  })),
  ...operations.flatMap((operation) => {
    const { method, name, result, path } = operation
    const schemas = [receipt, v.looseObject({ operation: v.literal(name), result })]
    const paths = operation.surface === "agent" ? [path, browserPath(operation)] : [path]
    return paths.map((each) => ({ method, path: pattern(each), name, forms: { [json]: schemas }, small: smallReceipt }))
  }),
]

const fits = (what: string, schema: v.GenericSchema, value: unknown): void => {
  const checked = check(schema, value)
  const faults = checked.ok ? [] : checked.issues.map(({ path, message }) => `${path} ${message}`)
  assert.deepEqual(faults, [], `${what} does not match its definition: ${faults.join("; ")}`)
}

/** Refusals that name the places of the faults. */
const naming: readonly RefusalCode[] = ["invalid_schema", "invalid_parameter", "unknown_reference", "invalid_request"]

function holdRefusal(what: string, { status, headers }: Response, body: unknown): void {
  fits(`${what}: the refusal`, refusal, body)
  const { refusal: code, retryAfter, retryable, issues, error } = body as v.InferOutput<typeof refusal>
  assert.ok(Object.hasOwn(refusals, code), `${what}: ${code} is in the list of refusals`)
  const spec = refusals[code as RefusalCode]
  assert.ok(
    (spec.status as readonly number[]).includes(status),
    `${what}: ${code} comes with ${spec.status.join(" or ")}, not ${status}`,
  )
  assert.equal(retryable, spec.retryable && status !== 422, `${what}: ${code} says whether to retry`)
  assert.equal(
    headers.get("retry-after"),
    retryAfter === null ? null : String(retryAfter),
    `${what}: Retry-After agrees with the body`,
  )
  if (naming.includes(code as RefusalCode)) assert.ok(issues.length > 0, `${what}: ${code} names the fault`)
  assert.match(error.slice(-2), /^\S[.?]$/, `${what}: the error is a sentence`)
  if (code === "method_not_allowed") assert.ok(headers.get("allow"), `${what}: 405 comes with Allow`)
}

/** The document of a page is refused as a document: a heading with the status and the code, and the sentence. */
function holdRefusedDocument(what: string, { status }: Response, text: string): void {
  const [, told, code = "", error = ""] = /^# ([0-9]{3}): ([a-z_]+)\n\n([^]+)\n$/.exec(text) ?? []
  assert.equal(told, String(status), `${what}: the status in the heading`)
  assert.ok(Object.hasOwn(refusals, code), `${what}: ${code} is in the list of refusals`)
  assert.ok(
    (refusals[code as RefusalCode].status as readonly number[]).includes(status),
    `${what}: ${code} does not come with ${status}`,
  )
  assert.match(error.slice(-2), /^\S[.?]$/, `${what}: the error is a sentence`)
}

/** Checks one answer. @throws AssertionError for anything the contract does not allow */
export function holdToContract(
  method: string,
  path: string,
  response: Response,
  text: string,
  query = new URLSearchParams(),
): void {
  const what = `${method} ${path} ${response.status}`
  for (const [name, value] of Object.entries(commonHeaders))
    assert.equal(response.headers.get(name), value, `${what}: ${name}`)
  const type = response.headers.get("content-type") ?? ""
  if (method === "OPTIONS" && response.ok) {
    assert.deepEqual([response.status, text], [204, ""], `${what}: OPTIONS has no body`)
    assert.match(response.headers.get("allow") ?? "", /OPTIONS/, `${what}: and lists the methods of the path`)
    return
  }
  if (!response.ok) {
    // The API refuses in its envelope alone, also at the address of a read's Markdown.
    if (type === `${MARKDOWN}; charset=utf-8` && !path.startsWith("/api/")) {
      if (method !== "HEAD") holdRefusedDocument(what, response, text)
      return
    }
    assert.equal(type, `${json}; charset=utf-8`, `${what}: the media type`)
    if (method !== "HEAD") holdRefusal(what, response, JSON.parse(text))
    if (method !== "HEAD")
      assert.equal(
        (JSON.parse(text) as { schemaVersion: number }).schemaVersion,
        schemaVersions[familyOf(path)],
        `${what}: in the envelope of its family`,
      )
    return
  }
  const route = routes.find((each) => each.method === (method === "HEAD" ? "GET" : method) && each.path.test(path))
  assert.ok(route, `${what}: the contract has such a route`)
  const [mediaType = "", ...parameters] = type.split("; ")
  assert.ok(Object.hasOwn(route.forms, mediaType), `${what}: ${mediaType} is a media type of it`)
  assert.deepEqual(parameters, isText(mediaType as MediaType) ? ["charset=utf-8"] : [], `${what}: the encoding`)
  if (method === "HEAD") return
  const body: unknown = /[/+]json$/.test(mediaType) ? JSON.parse(text) : text
  const isSmall = query.get("receipt") === "small" && route.small !== undefined
  for (const schema of isSmall ? [route.small] : (route.forms[mediaType] ?? []))
    fits(`${what} (${route.name})`, schema, body)
}

/** A fetch for a service below `basePath` that checks every answer against the contract. */
export const heldBelow =
  (basePath: string): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const { pathname, searchParams } = new URL(url)
    const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : pathname
    holdToContract(init.method ?? "GET", path, response, await textOf(response.clone()), searchParams)
    return response
  }

export const held: Fetch = heldBelow("")
