/** The OpenAPI descriptions of all routes: operations on both their paths, actions, reads and the discovery routes. */
import { actions } from "../contract/operations/actions.ts"
import type { Action } from "../contract/operations/action.ts"
import { browserPath, type Operation } from "../contract/definitions/operation.ts"
import { writeParameters } from "../contract/definitions/write-parameters.ts"
import { batch, batchAnswer, batchBody, isBatched } from "../contract/operations/batch.ts"
import { operations } from "../contract/operations/index.ts"
import { browserReadPath, isText, mayLeaveOutCaller, type Read, type ReadSurface } from "../contract/definitions/read.ts"
import { reads } from "../contract/reads/index.ts"
import type { RefusalCode } from "../contract/refusals/refusal.ts"
import { answerSchema, bodyName, receiptName, reference, sentSchema } from "./components.ts"
import { pathParameters, queryParameters } from "./parameters.ts"
import { actionRefusals, operationRefusals, readRefusals } from "./possible-refusals.ts"
import { discoveryRoutes, metricsRead } from "./routes.ts"
import { sliceOf } from "./slices.ts"
import { figureRoute, uploadRoute } from "./openapi-figures.ts"
import { byAnyone, byCredential, byKey, bySession, described, json, needs, responses, type Security, tags } from "./openapi-parts.ts"
import type { Content, OpenApiRoute } from "./openapi-types.ts"

const next = { after: "nextCursor as after", offset: "nextOffset as offset" } as const
const pagingNote = (read: Read): string | false =>
  read.cursor !== null && `A page at a time: while hasMore is true, send ${next["offset" in read.query.entries ? "offset" : "after"]}.`

function write(operation: Operation, caller: "agent" | "browser"): OpenApiRoute {
  const agent = caller === "agent"
  const ofRooms = operation.family === "research"
  const path = agent ? operation.path : browserPath(operation)
  const mirrored = !agent && operation.surface === "agent"
  return {
    path,
    slice: sliceOf(operation.path, operation.target),
    method: operation.method.toLowerCase(),
    operation: {
      operationId: mirrored ? `${operation.name}_in_browser` : operation.name,
      ...described(
        operation.summary,
        agent && needs(operation.permissions),
        operation.expected.length > 0 && `Copy ${operation.expected.join(" and ")} from what you have just read.`,
        `The same ${operation.delivery} and body sent again get the same receipt.`,
      ),
      tags: [tags[ofRooms ? caller : "library"].name],
      security: agent ? (ofRooms ? byCredential : byKey) : bySession,
      parameters: [...pathParameters(path), ...queryParameters(writeParameters)],
      requestBody: { required: true, content: json(reference(bodyName(operation)), { example: operation.example }) },
      responses: responses("The receipt.", json(reference(receiptName(operation))), operationRefusals(operation, caller)),
    },
  }
}

/** The refusals of any write that a batch may contain. */
const batchRefusals = (caller: "agent" | "browser"): readonly RefusalCode[] => [
  ...new Set(operations.filter(isBatched).flatMap((operation) => operationRefusals(operation, caller))),
]

const batchRoute = (caller: "agent" | "browser"): OpenApiRoute => ({
  path: caller === "agent" ? batch.path : batch.browserPath,
  slice: sliceOf(batch.path),
  method: batch.method.toLowerCase(),
  operation: {
    operationId: caller === "agent" ? batch.name : `${batch.name}_in_browser`,
    ...described(batch.summary, 'A value may be {"$from": "a", "path": "/targetId"}: a part of the receipt of the earlier write named a.'),
    tags: [tags[caller].name],
    security: caller === "agent" ? byCredential : bySession,
    parameters: queryParameters(writeParameters),
    requestBody: { required: true, content: json(sentSchema(batchBody), { example: batch.example }) },
    responses: responses("The receipts, in order.", json(answerSchema(batchAnswer)), batchRefusals(caller)),
  },
})

const writes = (operation: Operation): OpenApiRoute[] =>
  operation.surface === "agent" ? [write(operation, "agent"), write(operation, "browser")] : [write(operation, "browser")]

const actionRoute = (action: Action): OpenApiRoute => ({
  path: action.path,
  slice: null,
  method: action.method.toLowerCase(),
  operation: {
    operationId: action.name,
    ...described(action.summary),
    tags: [tags.account.name],
    security: action.by === "anyone" ? byAnyone : bySession,
    parameters: pathParameters(action.path),
    requestBody: { required: true, content: json(sentSchema(action.body), { example: action.example }) },
    responses: responses("Done.", json(answerSchema(action.answer)), actionRefusals(action)),
  },
})

const tagOf: Readonly<Record<ReadSurface, string>> = {
  public: tags.public.name,
  credential: tags.credential.name,
  key: tags.library.name,
  discovery: tags.discovery.name,
  session: tags.session.name,
  operator: tags.operator.name,
  visitor: tags.session.name,
}

const securityOf: Readonly<Record<ReadSurface, Security>> = {
  public: byAnyone,
  credential: byCredential,
  key: byKey,
  discovery: byAnyone,
  session: bySession,
  operator: bySession,
  // An empty requirement makes the session optional.
  visitor: [{}, ...bySession],
}

/** The contents of a read's answer, by media type. */
const contentOf = (read: Read): Content =>
  Object.fromEntries(
    [read, ...Object.values(read.formats)].map(({ mediaType, answer }) => [
      mediaType,
      isText(mediaType) ? { schema: answerSchema(answer) } : {},
    ]),
  )

function readRoute(read: Read, path: string, caller: "agent" | "browser"): OpenApiRoute {
  const { name, family, surface, method, summary, permissions, query, cursor } = read
  const agent = caller === "agent"
  return {
    path,
    slice: surface === "discovery" ? null : sliceOf(read.path),
    method: method.toLowerCase(),
    operation: {
      operationId: agent ? name : `${name}_in_browser`,
      ...described(summary, agent && needs(permissions), pagingNote(read)),
      tags: [family === "library" ? tags.library.name : tagOf[surface]],
      security: !agent ? bySession : mayLeaveOutCaller(read) ? [{}, ...byCredential] : securityOf[surface],
      parameters: [...pathParameters(path), ...queryParameters(query.entries)],
      responses: responses(cursor === null ? "The answer." : "One page.", contentOf(read), readRefusals(read, caller)),
    },
  }
}

/** A read on its own path and, if people may use it in the browser too, on the browser's. */
function readRoutes(read: Read): OpenApiRoute[] {
  const inBrowser = browserReadPath(read)
  return [readRoute(read, read.path, "agent"), ...(inBrowser === null ? [] : [readRoute(read, inBrowser, "browser")])]
}

/** All routes except pages. */
export const openApiRoutes = (): OpenApiRoute[] => [
  ...[...discoveryRoutes, metricsRead].flatMap(readRoutes),
  ...operations.flatMap(writes),
  batchRoute("agent"),
  batchRoute("browser"),
  uploadRoute("agent"),
  uploadRoute("browser"),
  figureRoute,
  ...reads.flatMap(readRoutes),
  ...actions.map(actionRoute),
]
