/**
 * The OpenAPI descriptions of all routes: operations on both their paths, actions, pictures, reads and the discovery
 * routes.
 */
import { enumerations, type Slice } from "../contract/schema/enumerations.ts"
import { type Operation, browserPath } from "../contract/definitions/operation.ts"
import {
  figureTypes,
  readFigure,
  uploadedFigure,
  uploadFigure,
  uploadedLog,
  uploadLog,
} from "../contract/definitions/attachments.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { actions, type Action } from "../contract/operations/actions.ts"
import { writeParameters } from "../contract/definitions/parameters.ts"
import { batch, batchAnswer, batchBody, isBatched } from "../contract/operations/batch.ts"
import { operations } from "../contract/operations/index.ts"
import {
  browserReadPath,
  isText,
  mayLeaveOutCaller,
  type Read,
  type ReadSurface,
} from "../contract/definitions/read.ts"
import { reads } from "../contract/reads/index.ts"
import {
  answerSchema,
  bodyName,
  receiptName,
  reference,
  sentSchema,
  byAnyone,
  byCredential,
  byKey,
  bySession,
  type Content,
  described,
  json,
  type OpenApiRoute,
  type Security,
  type tags,
  type Parameter,
  queryParameters,
  actionRefusals,
  figureRefusals,
  operationRefusals,
  readRefusals,
  uploadRefusals,
} from "./openapi-parts.ts"
import { discoveryRoutes, metricsRead } from "./routes.ts"

// Assigns routes to the parts of the service.

/** The first word of a path under the research roots: `/api/agent/threads` has `threads`. */
const firstWord = (path: string): string | undefined =>
  /^\/api\/(?:agent\/|research\/)?([a-z-]+)(?:\/|$)/.exec(path)?.[1]

/**
 * The slices of paths that start with another word. Other paths under the research roots belong to the research slice.
 */
const words: Readonly<Record<string, Slice>> = {
  records: "publications",
  concepts: "publications",
  papers: "publications",
  findings: "publications",
  "cited-claims": "publications",
}
/** The slices of operations that are named after what they make or change, not after their path. */
const targets: Partial<Readonly<Record<Operation["target"], Slice>>> = {
  attempt: "attempts",
  material: "materials",
  link: "links",
  finding_link: "links",
}

/**
 * The slice of a route; null for documents and accounts.
 * @param target what the operation makes or changes
 */
function sliceOf(path: string, target?: Operation["target"]): Slice | null {
  const word = firstWord(path) ?? ""
  const slice = (target && targets[target]) ?? enumerations.slice.find((slice) => slice === word) ?? words[word]
  return slice ?? (/^\/api\/(?:agent|research)\//.test(path) ? "research" : null)
}

type Caller = "agent" | "browser"
const callers = ["agent", "browser"] as const
const needs = (permissions: readonly string[]): string | false =>
  permissions.length > 0 && `Needs ${permissions.join(" and ")}.`
/** The name of a route that has a twin for agents. */
const nameFor = (name: string, caller: Caller): string => (caller === "agent" ? name : `${name}${inBrowser}`)
/** What the name of a route in the browser ends with, if agents have a twin of it. */
export const inBrowser = "_in_browser"

const next = { after: "nextCursor as after", offset: "nextOffset as offset" } as const
const pagingNote = (read: Read): string | false =>
  read.cursor !== null &&
  `A page at a time: while hasMore is true, send ${next["offset" in read.query.entries ? "offset" : "after"]}.`

function write(operation: Operation, caller: Caller): OpenApiRoute {
  const { name, path, summary, permissions, expected, delivery } = operation
  const isAgent = caller === "agent"
  const ofRooms = operation.family === "research"
  return described({
    name: operation.surface === "agent" ? nameFor(name, caller) : name,
    path: isAgent ? path : browserPath(operation),
    slice: sliceOf(path, operation.target),
    method: operation.method,
    words: [
      summary,
      isAgent && needs(permissions),
      expected.length > 0 && `Copy ${expected.join(" and ")} from what you have just read.`,
      `The same ${delivery} and body sent again get the same receipt.`,
    ],
    tag: ofRooms ? caller : "library",
    security: isAgent ? (ofRooms ? byCredential : byKey) : bySession,
    parameters: queryParameters(writeParameters),
    body: json(reference(bodyName(operation)), { example: operation.example }),
    answer: ["The receipt.", json(reference(receiptName(operation)))],
    refusals: operationRefusals(operation, caller),
  })
}

const writes = (operation: Operation): OpenApiRoute[] =>
  (operation.surface === "agent" ? callers : (["browser"] as const)).map((caller) => write(operation, caller))

/** What the two routes beside the operations, for batches and pictures, have in common. */
const beside = (
  { name, path, browserPath: pathInBrowser, method }: typeof batch | typeof uploadFigure | typeof uploadLog,
  caller: Caller,
) => ({
  name: nameFor(name, caller),
  path: caller === "agent" ? path : pathInBrowser,
  slice: sliceOf(path),
  method,
  tag: caller,
  security: caller === "agent" ? byCredential : bySession,
})

const batchRoute = (caller: Caller): OpenApiRoute =>
  described({
    ...beside(batch, caller),
    words: [
      batch.summary,
      'A value may be {"$from": "a", "path": "/targetId"}: a part of the receipt of the earlier write named a.',
    ],
    parameters: queryParameters(writeParameters),
    body: json(sentSchema(batchBody), { example: batch.example }),
    answer: ["The receipts, in order.", json(answerSchema(batchAnswer))],
    refusals: [...new Set(operations.filter(isBatched).flatMap((operation) => operationRefusals(operation, caller)))],
  })

const pictures: Content = Object.fromEntries(
  Object.keys(figureTypes).map((type) => [type, { schema: { type: "string", format: "binary" } }]),
)

const uploadRoute = (caller: Caller): OpenApiRoute =>
  described({
    ...beside(uploadFigure, caller),
    words: [uploadFigure.summary, caller === "agent" && needs([uploadFigure.permission])],
    body: pictures,
    answer: ["The digest that names the picture.", json(answerSchema(uploadedFigure))],
    refusals: uploadRefusals(caller),
  })

const uploadLogRoute = (caller: Caller): OpenApiRoute =>
  described({
    ...beside(uploadLog, caller),
    words: [uploadLog.summary],
    body: { [uploadLog.mediaType]: { schema: { type: "string" } } },
    answer: ["The digest that names the log, and what of it was kept.", json(answerSchema(uploadedLog))],
    refusals: uploadRefusals(caller),
  })

const figureRoute = (): OpenApiRoute =>
  described({
    ...readFigure,
    slice: sliceOf(readFigure.path),
    words: [readFigure.summary],
    tag: "public",
    security: byAnyone,
    answer: ["The picture.", pictures],
    refusals: figureRefusals,
  })

const actionRoute = (action: Action): OpenApiRoute =>
  described({
    ...action,
    slice: null,
    words: [action.summary],
    tag: "account",
    security: action.by === "anyone" ? byAnyone : bySession,
    body: json(sentSchema(action.body), { example: action.example }),
    answer: ["Done.", json(answerSchema(action.answer))],
    refusals: actionRefusals(action),
  })

const ofSurface: Readonly<Record<ReadSurface, readonly [tag: keyof typeof tags, security: Security]>> = {
  public: ["public", byAnyone],
  credential: ["credential", byCredential],
  key: ["library", byKey],
  discovery: ["discovery", byAnyone],
  session: ["session", bySession],
  operator: ["operator", bySession],
  // An empty requirement makes the session optional.
  visitor: ["session", [{}, ...bySession]],
}

/** The contents of a read's answer, by media type. */
const contentOf = (read: Read): Content =>
  Object.fromEntries(
    [read, ...Object.values(read.formats)].map(({ mediaType, answer }) => [
      mediaType,
      isText(mediaType) ? { schema: answerSchema(answer) } : {},
    ]),
  )

/** The body of a read whose parameters are too long for an address. */
const bodyOf = (parameters: readonly Parameter[]): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
})

function readRoute(read: Read, path: string, caller: Caller): OpenApiRoute {
  const { name, family, surface, method, summary, permissions, query, cursor } = read
  const isAgent = caller === "agent"
  const [tag, security] = ofSurface[surface]
  return described({
    name: nameFor(name, caller),
    path,
    slice: surface === "discovery" ? null : sliceOf(read.path),
    method,
    words: [summary, isAgent && needs(permissions), pagingNote(read)],
    tag: family === "library" ? "library" : tag,
    security: !isAgent ? bySession : mayLeaveOutCaller(read) ? [{}, ...byCredential] : security,
    ...(method === "GET"
      ? { parameters: queryParameters(query.entries) }
      : { body: json(bodyOf(queryParameters(query.entries))) }),
    answer: [cursor === null ? "The answer." : "One page.", contentOf(read)],
    refusals: readRefusals(read, caller),
  })
}

/** A read on its own path and, if people may use it in the browser too, on the browser's. */
function readRoutes(read: Read): OpenApiRoute[] {
  const twin = browserReadPath(read)
  return [readRoute(read, read.path, "agent"), ...(twin === null ? [] : [readRoute(read, twin, "browser")])]
}

/** All routes except pages. */
export const openApiRoutes = (): OpenApiRoute[] => [
  ...[...discoveryRoutes, metricsRead].flatMap(readRoutes),
  ...operations.flatMap(writes),
  ...callers.map(batchRoute),
  ...callers.map(uploadRoute),
  ...callers.map(uploadLogRoute),
  figureRoute(),
  ...reads.flatMap(readRoutes),
  ...actions.map(actionRoute),
]
