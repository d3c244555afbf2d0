/** The targets of attacks: every route of the service, from the registries it is built from. */
import { actions } from "../../../src/contract/operations/actions.ts"
import { openApiRoutes } from "../../../src/discovery/openapi-routes.ts"
import { queryParameters } from "../../../src/discovery/openapi-parts.ts"
import { mcpPath, type Family, familyOf } from "../../../src/contract/service.ts"
import { discoveryRoutes, metricsRead } from "../../../src/discovery/routes.ts"
import { bodySchema, type JsonSchema, jsonSchemaOf } from "../../../src/contract/definitions/json-schema.ts"
import { readFigure, uploadFigure } from "../../../src/contract/definitions/attachments.ts"
import { uploadLog } from "../../../src/contract/definitions/attachments.ts"
import { browserPath, type Operation, pathNames } from "../../../src/contract/definitions/operation.ts"
import { writeParameters } from "../../../src/contract/definitions/parameters.ts"
import { batch, batchBody, isBatched } from "../../../src/contract/operations/batch.ts"
import { operations } from "../../../src/contract/operations/index.ts"
import { markdownPath, SUFFIX } from "../../../src/edge/answers/as-markdown.ts"
import { browserReadPath, isEvents, type Read } from "../../../src/contract/definitions/read.ts"
import { reads } from "../../../src/contract/reads/index.ts"
import type { Edge } from "../../../src/edge/edge.ts"
import type { Routes } from "../../../src/edge/requests/routes.ts"
import { pageRoutes } from "../../../src/web/pages/index.ts"

/** What authorises a request: a Room credential, a personal key, a session cookie and Origin, or nothing. */
export type Caller = "credential" | "key" | "session" | "anyone"

export interface Target {
  readonly name: string
  readonly method: string
  /** With `{name}` for each variable part. */
  readonly path: string
  readonly family: Family
  readonly caller: Caller
  /** Answers with a page for people. */
  readonly isPage: boolean
  /** Answers in a form that no schema of the contract describes: a file, or figures for the operator. */
  readonly isOther: boolean
  /** Accepts the forms of pages instead of JSON. */
  readonly takesForm: boolean
  /** The exported JSON Schema of its body. */
  readonly body: JsonSchema | null
  readonly example: unknown
  /** The exported JSON Schemas of its query parameters. */
  readonly query: Readonly<Record<string, JsonSchema>>
  /** Each status and code that the OpenAPI document lists for it; null if it is not in the document. */
  readonly refusals: ReadonlySet<string> | null
  /** Uses a session of its own, which may end: signing in and out, set-up, invitations. */
  readonly isOfAccounts: boolean
}

type Responses = Readonly<Record<string, { readonly "x-refusals"?: readonly string[] }>>

/** The refusals of a route in the OpenAPI document. */
const documented: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  openApiRoutes().map(({ method, path, operation }) => [
    `${method} ${path}`,
    new Set(
      Object.entries(operation.responses as Responses).flatMap(([status, { "x-refusals": codes = [] }]) =>
        codes.map((code) => `${status} ${code}`),
      ),
    ),
  ]),
)

/** The path of a read, without the suffix of its Markdown, which is refused as the read is. */
const readPath = (path: string): string => (path.endsWith(SUFFIX) ? path.slice(0, -SUFFIX.length) : path)

const plain = {
  isPage: false,
  isOther: false,
  takesForm: false,
  body: null,
  example: null,
  query: {},
  isOfAccounts: false,
  refusals: null,
} as const

const queryOf = (entries: Parameters<typeof queryParameters>[0]): Record<string, JsonSchema> =>
  Object.fromEntries(queryParameters(entries).map(({ name, schema }) => [name as string, schema as JsonSchema]))

const written = (operation: Operation, path: string, caller: Caller): Target => ({
  ...plain,
  name: path === operation.path ? operation.name : `${operation.name} in the browser`,
  method: operation.method,
  path,
  family: operation.family,
  caller,
  body: bodySchema(operation),
  example: operation.example,
  query: queryOf(writeParameters),
})

function writesOf(operation: Operation): Target[] {
  const byPerson = written(operation, browserPath(operation), "session")
  if (operation.surface === "browser") return [byPerson]
  return [written(operation, operation.path, operation.family === "library" ? "key" : "credential"), byPerson]
}

const callerOf = ({ surface }: Read): Caller =>
  surface === "credential" || surface === "key"
    ? surface
    : surface === "session" || surface === "operator" || surface === "visitor"
      ? "session"
      : "anyone"

function readsOf(read: Read): Target[] {
  const { name, method, path, family, query } = read
  const target: Target = { ...plain, name, method, path, family, caller: callerOf(read), query: queryOf(query.entries) }
  const inBrowser = browserReadPath(read)
  return inBrowser === null
    ? [target]
    : [target, { ...target, name: `${name} in the browser`, path: inBrowser, caller: "session" }]
}

/** The same read as Markdown. */
function markdownOf(read: Read): Target[] {
  const path = markdownPath(read)
  const [target] = readsOf(read)
  return path === null || target === undefined ? [] : [{ ...target, name: `${target.name} as Markdown`, path }]
}

/**
 * Requests that would, rightly, end the sessions or tokens of the other attackers, or make an attacker an operator:
 * they are sent by a caller without permission.
 */
const keepsOthersOut = (path: string): boolean =>
  /\/(?:disable(?:_person)?|end[-_](?:access|sessions)|operator|make_operator)$/.test(path) ||
  /^\/(?:api|web)\/admin\/(?:credentials|keys|invitations)\//.test(path)

/** Pages register their addresses themselves: there is no other list of them. */
function pages(): Target[] {
  const told: { method: string; path: string }[] = []
  pageRoutes(
    {} as Edge,
    { add: (method: string, path: string) => void told.push({ method, path }) } as unknown as Routes,
  )
  return told.flatMap(({ method, path }): Target[] => {
    const page: Target = {
      ...plain,
      name: `page ${path}`,
      method,
      path,
      family: familyOf(path),
      caller: "session" as const,
    }
    // Files, feeds and maps: recognised by the ending of their names.
    if (path.startsWith("/assets/") || /\.[a-z]+$/.test(path)) return [{ ...page, isOther: true }]
    const isForm = method === "POST"
    // For anyone but an operator these routes do not exist, and the answer for a missing route depends on what was
    // requested.
    if (/^(?:\/web)?\/admin(?:\/|$)/.test(path))
      return [{ ...page, isOther: true, takesForm: isForm, isOfAccounts: keepsOthersOut(path) }]
    const shown = { ...page, isPage: true, takesForm: isForm, isOfAccounts: isForm }
    if (!path.includes("{operation}")) return [shown]
    // The page of every operation: each has its own form.
    return operations.map((operation) => ({
      ...shown,
      isOfAccounts: false,
      name: `page ${path.replace("{operation}", operation.name)}`,
      path: path.replace("{operation}", operation.name),
      body: isForm ? bodySchema(operation) : null,
      query: Object.fromEntries(pathNames(operation.path).map((name) => [name, { type: "string" }])),
    }))
  })
}

/** Every route, once. */
const all: readonly Target[] = [
  ...operations.flatMap(writesOf),
  ...(
    [
      [batch.path, "credential"],
      [batch.browserPath, "session"],
    ] as const
  ).map(
    ([path, caller]): Target => ({
      ...plain,
      name: caller === "session" ? "batch in the browser" : "batch",
      method: batch.method,
      path,
      family: familyOf(path),
      caller,
      body: jsonSchemaOf(batchBody),
      example: {
        writes: operations
          .filter(isBatched)
          .slice(0, 3)
          .map(({ name, example }) => ({ operation: name, body: example })),
      },
      query: queryOf(writeParameters),
    }),
  ),
  // A picture and a log are not JSON: test/figures sends invalid and mislabelled ones.
  ...(
    [
      [uploadFigure, uploadFigure.path, "credential"],
      [uploadFigure, uploadFigure.browserPath, "session"],
      [readFigure, readFigure.path, "anyone"],
      [uploadLog, uploadLog.path, "credential"],
      [uploadLog, uploadLog.browserPath, "session"],
    ] as const
  ).map(
    ([{ name, method }, path, caller]): Target => ({
      ...plain,
      name: caller === "session" ? `${name} in the browser` : name,
      method,
      path,
      family: familyOf(path),
      caller,
      isOther: true,
    }),
  ),
  // A stream without an end cannot be judged: test/http/events.test.ts attacks it.
  ...[...reads.filter((read) => !isEvents(read)), ...discoveryRoutes].flatMap(readsOf),
  ...reads.flatMap(markdownOf),
  ...readsOf(metricsRead).map((target) => ({ ...target, isOther: true })),
  {
    ...plain,
    name: "mcp",
    method: "POST",
    path: mcpPath,
    family: familyOf(mcpPath),
    caller: "credential",
    // Its messages belong to another protocol, which test/mcp covers; refusals before them follow the contract.
    isOther: true,
    body: {
      type: "object",
      required: ["jsonrpc", "method"],
      properties: { jsonrpc: { const: "2.0" }, id: { type: "integer" }, method: { type: "string" } },
    },
    example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  },
  ...actions.map(
    ({ name, method, path, by, body, example }): Target => ({
      ...plain,
      name,
      method,
      path,
      family: familyOf(path),
      caller: "session",
      body: jsonSchemaOf(body),
      example,
      isOfAccounts: by === "anyone" || keepsOthersOut(path),
    }),
  ),
  ...pages(),
]

export const targets: readonly Target[] = all.map((target) => ({
  ...target,
  // Also if it only reads: another method at the same path signs out.
  isOfAccounts: target.isOfAccounts || all.some(({ path, isOfAccounts }) => isOfAccounts && path === target.path),
  refusals: documented.get(`${target.method.toLowerCase()} ${readPath(target.path)}`) ?? null,
}))

export const targetsWith = (holds: (target: Target) => boolean): readonly Target[] => targets.filter(holds)
