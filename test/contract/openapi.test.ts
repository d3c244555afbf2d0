/** The OpenAPI document: valid, complete, and true to what the service accepts and answers. */
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import t from "tap"
import { batch } from "../../src/contract/operations/batch.ts"
import { actions } from "../../src/contract/operations/actions.ts"
import { openApi } from "../../src/discovery/openapi.ts"
import { discoveryRoutes, metricsRead } from "../../src/discovery/routes.ts"
import { browserPath, pathNames } from "../../src/contract/definitions/operation.ts"
import { readFigure, uploadFigure } from "../../src/contract/definitions/attachments.ts"
import { uploadLog } from "../../src/contract/definitions/attachments.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { browserReadPath } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { type RefusalCode, refusals } from "../../src/contract/refusals.ts"

interface Parameter {
  name: string
  in: string
  required: boolean
}
interface Described {
  operationId: string
  parameters: Parameter[]
  security: object[]
  requestBody?: { content: { "application/json"?: { schema: object; example: unknown } } }
  responses: Record<string, { "x-refusals"?: RefusalCode[]; content: object }>
}
interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, object> }
  [member: string]: unknown
}

const document = JSON.parse(
  JSON.stringify(openApi({ baseUrl: "https://rooms.example.org/lab", softwareVersion: "1.2.3" })),
) as Document
/** What a reference leads to; of the refusals that every path has, the reference stays. */
const followed = <T>(part: T): T => {
  const { $ref = "" } = part as { $ref?: string }
  const [, kind = "", name = ""] = /^#\/components\/(parameters|responses)\/(.+)$/.exec($ref) ?? []
  const parts = document.components as unknown as Record<string, Record<string, T>>
  return /^Refused\d/.test(name) ? part : (parts[kind]?.[name] ?? part)
}
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    path,
    method,
    operation: {
      ...operation,
      parameters: operation.parameters.map(followed),
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, each]) => [status, followed(each)]),
      ),
    },
  })),
)
const routes = [
  ...operations.map(({ method, path }) => ({ method, path })),
  ...operations.map((operation) => ({ method: operation.method, path: browserPath(operation) })),
  { method: batch.method, path: batch.path },
  { method: batch.method, path: batch.browserPath },
  { method: uploadFigure.method, path: uploadFigure.path },
  { method: uploadFigure.method, path: uploadFigure.browserPath },
  { method: uploadLog.method, path: uploadLog.path },
  { method: uploadLog.method, path: uploadLog.browserPath },
  { method: readFigure.method, path: readFigure.path },
  ...[...actions, ...reads, ...discoveryRoutes, metricsRead].map(({ method, path }) => ({ method, path })),
  ...reads.map((read) => ({ method: read.method, path: browserReadPath(read) ?? read.path })),
].map(({ method, path }) => `${method} ${path}`)

/** Uploading a picture or a log is not a write on the record. */
const isUpload = ({ operationId }: Described) =>
  operationId.startsWith(uploadFigure.name) || operationId.startsWith(uploadLog.name)

t.test("It is valid OpenAPI 3.1", async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  t.ok(valid, "as the validator of the specification sees it", { errors })
})

// shows: Every read of the table answers.
t.test("It describes every route of the registry, and no other", (t) => {
  t.same(described.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(), [...new Set(routes)].sort())
  t.end()
})

t.test("No operation is named twice, and no path has two spellings", (t) => {
  const ids = described.map(({ operation }) => operation.operationId)
  t.same(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  )
  const shapes = Object.keys(document.paths).map((path) => path.replace(/\{[^}]+\}/g, "{}"))
  t.same(
    shapes.filter((shape, index) => shapes.indexOf(shape) !== index),
    [],
  )
  t.end()
})

t.test("Every name in a path is a parameter, and every reference resolves", (t) => {
  const required = ({ parameters }: Described) =>
    parameters.filter((parameter) => parameter.in === "path" && parameter.required).map(({ name }) => name)
  t.strictSame(
    described
      .filter(({ path, operation }) => required(operation).join() !== pathNames(path).join())
      .map(({ path }) => path),
    [],
  )
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] as string,
  )
  t.strictSame(
    [...new Set(references)].filter((name) => !Object.hasOwn(document.components.schemas, name)),
    [],
  )
  t.end()
})

// shows: Schemas and examples of every operation are served and true.
t.test("Every write has an example body that its own schema accepts", (t) => {
  const ajv = new Ajv2020({ strict: false }).addSchema(document, "openapi")
  const absolute = (schema: object) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object
  const bodies = described.flatMap(({ path, operation }) => {
    const json = operation.requestBody?.content["application/json"]
    return json === undefined ? [] : [{ path, ...json }]
  })
  t.strictSame(
    bodies
      .filter(({ schema, example }) => example !== undefined && !ajv.validate(absolute(schema), example))
      .map(({ path }) => path),
    [],
  )
  t.equal(
    bodies.length,
    described.filter(({ method, operation }) => method !== "get" && !isUpload(operation)).length,
    "each of them",
  )
  t.end()
})

// shows: Rooms, membership, credentials and archiving have no agent route.
// shows: Public reads are anonymous and cached nowhere.
t.test("Agents use a credential, or a key in the Library, people a session, and readers nothing", (t) => {
  const wanted = (path: string) => {
    if (path === "/api/agent/library/schema") return "[]"
    // Everyone reads the feed; an agent also reads the receipts of its own writes.
    if (path === "/api/research/rooms/{roomId}/activity") return '[{},{"roomCredential":[]}]'
    if (path.startsWith("/api/agent/library/")) return '[{"personalKey":[]}]'
    if (path.startsWith("/api/library/")) return '[{"session":[]}]'
    return path.startsWith("/api/agent/")
      ? '[{"roomCredential":[]}]'
      : path.startsWith("/api/research/")
        ? "[]"
        : undefined
  }
  const others = described.filter(
    ({ path, operation }) =>
      JSON.stringify(operation.security) !== (wanted(path) ?? JSON.stringify(operation.security)),
  )
  t.strictSame(
    others.map(({ path }) => path),
    [],
  )
  const rooms = described.filter(({ path, method }) => path.startsWith("/api/rooms") && method !== "get")
  t.ok(
    rooms.length > 0 && rooms.every(({ operation }) => JSON.stringify(operation.security) === '[{"session":[]}]'),
    "Rooms are for people",
  )
  t.end()
})

t.test("Every write on a Room's record can be rehearsed", (t) => {
  const accounts = new Set<string>([...actions, ...reads].map(({ name }) => name))
  const writes = described.filter(
    ({ method, operation }) => method !== "get" && !accounts.has(operation.operationId) && !isUpload(operation),
  )
  t.strictSame(
    writes
      .filter(({ operation }) => !operation.parameters.some(({ name }) => name === "rehearse"))
      .map(({ path }) => path),
    [],
  )
  t.end()
})

t.test("Every refusal of an answer has its own status, and every code is documented somewhere", (t) => {
  const answered = described.flatMap(({ path, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      (response["x-refusals"] ?? []).map((code) => ({ path, status: Number(status), code })),
    ),
  )
  t.strictSame(
    answered.filter(({ status, code }) => !(refusals[code].status as readonly number[]).includes(status)),
    [],
  )
  const everywhere = (code: RefusalCode) =>
    new Set(answered.filter((one) => one.code === code).map(({ path }) => path)).size
  t.equal(
    everywhere("temporarily_unavailable"),
    Object.keys(document.paths).length,
    "refusals of any route are listed with each",
  )
  t.equal(
    everywhere("thread_exists"),
    4,
    "refusals of one operation are listed with it, on both its paths, and with batches",
  )
  const told = JSON.stringify(document.components.schemas.RefusalCode)
  t.strictSame(
    Object.keys(refusals).filter((code) => !told.includes(`\`${code}\``)),
    [],
  )
  t.end()
})

t.test("Answers given before the route is looked up are listed with each path, described once", (t) => {
  const { responses } = document.components as unknown as { responses: Record<string, { "x-refusals": RefusalCode[] }> }
  const told = { 400: "malformed_request", 405: "method_not_allowed", 408: "request_timeout", 431: "malformed_request" }
  for (const [status, code] of Object.entries(told)) {
    const name = `Refused${status}`
    t.strictSame(responses[name]?.["x-refusals"], [code], status)
    const without = described.filter(
      ({ operation }) =>
        (operation.responses[status] as { $ref?: string } | undefined)?.$ref !== `#/components/responses/${name}`,
    )
    t.strictSame(
      without.map(({ method, path }) => `${method} ${path}`),
      [],
      `${status} on every path`,
    )
  }
  t.end()
})

t.test("Answers allow for members added later, bodies do not", (t) => {
  const closed = Object.entries(document.components.schemas).filter(([, schema]) =>
    JSON.stringify(schema).includes('"additionalProperties":false'),
  )
  const open = closed.map(([name]) => name).filter((name) => !/(?:Body|Input)(?:_\d+)?$/.test(name))
  t.strictSame(open, [])
  t.end()
})

interface Schema {
  readonly $ref?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

/** The names that generators make of a schema: one for each enumeration and object inside it, by its place. */
function namesIn(schema: Schema, name: string): string[] {
  const own = schema.enum !== undefined || schema.properties !== undefined ? [name] : []
  return [
    ...own,
    ...(schema.anyOf ?? schema.oneOf ?? []).flatMap((each) => namesIn(each, name)),
    ...Object.entries(schema.properties ?? {}).flatMap(([member, each]) => namesIn(each, `${name}_${member}`)),
    ...(schema.items === undefined ? [] : namesIn(schema.items, `${name}_item`)),
  ]
}
/** Every value of an enumeration, which some languages make a constant of that name. */
const valuesIn = (part: unknown): unknown[] =>
  typeof part !== "object" || part === null
    ? []
    : [
        ...("enum" in part && Array.isArray(part.enum) ? part.enum : []),
        ...("const" in part ? [part.const] : []),
        ...Object.values(part).flatMap(valuesIn),
      ]

t.test("No name collides with another, as any language writes it", (t) => {
  const { schemas, parameters } = document.components as unknown as Record<string, Record<string, Schema>>
  const cased = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase()
  const whole = Object.keys(schemas ?? {})
  const inside = Object.entries(schemas ?? {}).flatMap(([name, schema]) =>
    namesIn(schema, name).filter((each) => each !== name),
  )
  const byRoute = described.flatMap(({ operation: { operationId, parameters: all } }) =>
    (all as (Parameter & { schema: Schema })[]).flatMap(({ name, schema }) =>
      namesIn(schema, `${operationId}_${name}`),
    ),
  )
  const names = [...whole, ...Object.keys(parameters ?? {}), ...new Set(inside), ...byRoute].map(cased)
  t.strictSame(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
    "schemas, parameters and what they hold",
  )
  const constants = new Set(valuesIn(schemas).map((value) => cased(String(value))))
  t.strictSame(
    [...inside, ...byRoute].filter((name) => constants.has(cased(name))),
    [],
    "nor is one that a generator makes up a constant too",
  )
  t.end()
})

/** What openapi-generator makes no Rust type of, by its place. */
function withoutType(part: unknown, place: string, isProperty = false): string[] {
  if (typeof part !== "object" || part === null) return []
  const { type, anyOf, allOf } = part as { type?: unknown; anyOf?: readonly { type?: unknown }[]; allOf?: unknown }
  const references = (anyOf ?? []).map((each) => ("$ref" in each ? String(each.$ref).split("/").at(-1) : undefined))
  const referred: { type?: unknown; format?: unknown }[] = references.flatMap((name) =>
    name === undefined ? [] : (document.components.schemas[name] ?? []),
  )
  const isWrong =
    (isProperty && type === "null") ||
    (anyOf !== undefined && allOf !== undefined) ||
    anyOf?.some((each) => Object.keys(each).length === 0) ||
    referred.some((each) => each.type === "string" && each.format === "uuid") ||
    // A choice of a text or an object would be the object alone.
    (anyOf?.some((each) => each.type === "string") && (anyOf.some((each) => each.type === "object") || referred[0]))
  return [
    ...(isWrong ? [place] : []),
    ...Object.entries(part).flatMap(([name, each]) =>
      withoutType(each, `${place}/${name}`, place.endsWith("/properties")),
    ),
  ]
}

t.test("Every schema has a type in Rust too", (t) => {
  t.strictSame(withoutType(document.components.schemas, ""), [])
  t.end()
})

t.test("What routes share is described once, and the document is under 800 kB", (t) => {
  t.ok(JSON.stringify(document).length < 800_000, `${JSON.stringify(document).length} bytes`)
  const { parameters } = document.components as unknown as { parameters: Record<string, Parameter> }
  t.match(parameters.RehearseParameter, { name: "rehearse", in: "query" })
  const digest = described.find(({ operation }) => operation.operationId === readFigure.name)?.operation.parameters[0]
  t.match(digest, { name: "digest", schema: { pattern: /sha256/ } }, "a digest is no UUID")
  t.end()
})
