/** The OpenAPI document of all routes. */
import { sessionCookie } from "../contract/operations/actions.ts"
import type { Slice } from "../contract/schema/enumerations.ts"
import { operations } from "../contract/operations/index.ts"
import { present } from "../contract/typed.ts"
import { licence, protocolVersion, serviceName } from "../contract/service.ts"
import {
  componentSchemas,
  commonResponses,
  type Content,
  type OpenApiRoute,
  securitySchemes,
  tags,
  type DescribedAnswer,
  type DescribedRoute,
  reference,
  typeName,
  type Parameter,
} from "./openapi-parts.ts"
import type { Program } from "./bootstrap.ts"
import { inBrowser, openApiRoutes } from "./openapi-routes.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { refusals } from "../contract/refusals.ts"
import { isObject, trusted } from "../contract/json.ts"

// Names what many routes of the OpenAPI document have in common: parameters, refusals, and enumerations of
// parameters, for which generators of clients would otherwise invent names from route and parameter.

/** A part is named if at least this many routes have it. */
const MANY = 2

export interface Reference {
  readonly $ref: string
}
type Kind = "parameters" | "responses" | "schemas"
const referenceTo = (kind: Kind, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })

/** A route with references to what is shared. */
interface SharingRoute extends Omit<DescribedRoute, "parameters" | "responses"> {
  readonly parameters: readonly (Parameter | Reference)[]
  readonly responses: Readonly<Record<string, DescribedAnswer>>
}

/** The parts by their text, and how many routes have each. */
function counted<T>(parts: Iterable<T>): { readonly text: string; readonly part: T; readonly count: number }[] {
  const found = new Map<string, { text: string; part: T; count: number }>()
  for (const part of parts) {
    const text = JSON.stringify(part)
    const known = found.get(text) ?? { text, part, count: 0 }
    known.count += 1
    found.set(text, known)
  }
  return [...found.values()].sort((one, other) => other.count - one.count)
}

/** The name, with a number if it is taken. */
export function numbered(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const own = number === 1 ? name : `${name}_${number}`
    if (!isTaken(own)) return own
  }
}

/** Names parts, the most frequent first. */
class Names<T> {
  readonly #names = new Map<string, string>()
  readonly parts: Record<string, T> = {}

  constructor(all: Iterable<T>, nameOf: (part: T) => string) {
    for (const { text, part, count } of counted(all)) {
      if (count < MANY) continue
      const name = numbered(nameOf(part), (each) => Object.hasOwn(this.parts, each))
      this.#names.set(text, name)
      this.parts[name] = part
    }
  }

  of(part: T): string | undefined {
    return this.#names.get(JSON.stringify(part))
  }
}

const isEnumerated = ({ enum: options, items }: JsonSchema): boolean =>
  options !== undefined || items?.enum !== undefined
/** The status of an answer that refuses. */
const statusOf = (answer: DescribedAnswer): number =>
  Object.entries(refusals).find(([code]) => code === codesOf(answer)[0])?.[1].status[0] ?? 0
const codesOf = ({ "x-refusals": codes = [] }: DescribedAnswer): readonly string[] => codes

/** Replaces the parts that routes share with references. @returns the parts by name too */
function shared(routes: readonly DescribedRoute[]): {
  readonly routes: readonly SharingRoute[]
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly responses: Readonly<Record<string, DescribedAnswer>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
} {
  const all = routes.flatMap(({ parameters }) => parameters)
  const schemas: Record<string, JsonSchema> = {}
  /** The parameter with the name of its enumeration, or of the form of ids. */
  const named = (parameter: Parameter): Parameter => {
    const { name, schema } = parameter
    if (schema.title === "UUID") {
      const { description: _told, ...uuid } = schema
      schemas.Uuid = uuid
      return { ...parameter, schema: reference("Uuid") }
    }
    if (!isEnumerated(schema)) return parameter
    const text = JSON.stringify(schema)
    const free = numbered(
      `${typeName(name)}Choice`,
      (each) => schemas[each] !== undefined && JSON.stringify(schemas[each]) !== text,
    )
    schemas[free] = schema
    return { ...parameter, schema: reference(free) }
  }
  const parameters = new Names(all.map(named), ({ name }) => `${typeName(name)}Parameter`)
  const answers = routes
    .flatMap((route) => Object.values(route.responses))
    .filter((answer) => codesOf(answer).length > 0)
  const responses = new Names(answers, (answer) => `Error${statusOf(answer)}`)
  return {
    schemas,
    parameters: parameters.parts,
    responses: responses.parts,
    routes: routes.map((route) => ({
      ...route,
      parameters: route.parameters.map(named).map((parameter) => {
        const name = parameters.of(parameter)
        return name === undefined ? parameter : referenceTo("parameters", name)
      }),
      responses: Object.fromEntries(
        Object.entries(route.responses).map(([status, answer]) => {
          const name = responses.of(answer)
          return [status, name === undefined ? answer : referenceTo("responses", name)]
        }),
      ),
    })),
  }
}

// Gives the schemas that a document repeats a name of their own, and refers to them.

/** A schema gets a name if it is repeated this often, with at least this many characters. */
const OFTEN = 2
const LONG = 60

interface Repeated {
  readonly name: string
  count: number
}

const isSchema = (value: unknown): value is JsonSchema => isObject(value) && !("$ref" in value)

const CLOSED = '"additionalProperties":false'

/** The name of an object or a choice by its place, of a text by its title; null for what gets none. */
function nameOf(
  { type, title, properties, anyOf, oneOf, additionalProperties }: JsonSchema,
  place: string,
): string | null {
  // What is sent is closed to other members, or holds something that is.
  const isSent = JSON.stringify([properties, anyOf, oneOf]).includes(CLOSED) || additionalProperties === false
  if (properties !== undefined || anyOf !== undefined || oneOf !== undefined) return isSent ? `${place}Input` : place
  if (type === "string" && title === undefined) return `${place}String`
  return type === "string" ? `${typeName((title ?? "").toLowerCase().replaceAll(" ", "_"))}String` : null
}

/** The schemas directly inside a schema, each with the name that its place suggests. */
function* inside(schema: JsonSchema, name: string): Generator<[JsonSchema, string]> {
  for (const [member, each] of Object.entries(schema.properties ?? {})) yield [each, typeName(member)]
  if (isSchema(schema.items)) yield [schema.items, `${name}Item`]
  for (const each of schema.anyOf ?? schema.oneOf ?? []) yield [each, name]
  if (isSchema(schema.additionalProperties)) yield [schema.additionalProperties, `${name}Value`]
}

/** Puts others in the place of the schemas inside. */
function withInside(schema: JsonSchema, change: (each: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, items, anyOf, oneOf, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, change(each)])),
    }),
    ...(isSchema(items) && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(oneOf && { oneOf: oneOf.map(change) }),
    ...(isSchema(additionalProperties) && { additionalProperties: change(additionalProperties) }),
  }
}

/**
 * Names what is repeated in some schemas.
 * @param roots schemas that keep their place, with their names
 * @returns the named schemas, a function that refers to them inside another schema, and one that does so for the whole
 * schema too
 */
function repeatedIn(roots: readonly (readonly [name: string, schema: JsonSchema])[]): {
  readonly named: Readonly<Record<string, JsonSchema>>
  readonly referring: (schema: JsonSchema) => JsonSchema
  readonly replaced: (schema: JsonSchema) => JsonSchema
} {
  const texts = new Map<JsonSchema, string>()
  const textOf = (schema: JsonSchema): string => {
    const text = texts.get(schema) ?? JSON.stringify(schema)
    texts.set(schema, text)
    return text
  }
  /** Counts the schemas inside; what is inside a repeated one counts once. */
  function counted(known: ReadonlyMap<string, Repeated> | undefined): Map<string, Repeated> {
    const found = new Map<string, Repeated>()
    const look = (schema: JsonSchema, place: string): void => {
      for (const [each, name] of inside(schema, place)) {
        if ("$ref" in each) continue
        const text = textOf(each)
        const before = found.get(text)
        if (before !== undefined) before.count += 1
        else if (text.length >= LONG) {
          const own = nameOf(each, name)
          if (own !== null) found.set(text, { name: own, count: 1 })
        }
        if (before === undefined || known?.has(text) !== true) look(each, name)
      }
    }
    for (const [name, schema] of roots) look(schema, name)
    return new Map([...found].filter(([, { count }]) => count >= OFTEN))
  }
  const often = counted(counted(undefined))

  const taken = new Set(roots.map(([name]) => name.toLowerCase()))
  const names = new Map<string, string>()
  for (const [text, { name }] of often) {
    const own = numbered(name, (each) => taken.has(each.toLowerCase()))
    taken.add(own.toLowerCase())
    names.set(text, own)
  }
  const replaced = (schema: JsonSchema): JsonSchema => {
    const name = "$ref" in schema ? undefined : names.get(textOf(schema))
    return name === undefined ? referring(schema) : reference(name)
  }
  const referring = (schema: JsonSchema): JsonSchema => withInside(schema, replaced)
  const named = Object.fromEntries(
    [...names].map(([text, name]) => [name, referring(trusted<JsonSchema>(text))] as const),
  )
  return { named, referring, replaced }
}

/** Leaves out schemas that nothing refers to: a file with the shapes of answers has others beside them. */
function referred(schemas: Readonly<Record<string, JsonSchema>>, from: unknown): Record<string, JsonSchema> {
  const found = new Set<string>()
  const look = (part: unknown): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      look(schemas[name] ?? null)
    }
  }
  look(from)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}

/** The components that belong to no route. */
type Components = Omit<ReturnType<typeof shared>, "routes">

/** The part that is the same for every instance and slice: half of the work, cached on first use. */
let made: ReturnType<typeof ofRegistry> | undefined
function ofRegistry() {
  const routes = openApiRoutes()
  const { routes: sharing, ...parts } = shared(routes.map(({ operation }) => operation))
  const own = referred({ ...componentSchemas(operations), ...parts.schemas }, [sharing, parts, commonResponses])
  const contents = sharing.flatMap(({ operationId, requestBody, responses }) =>
    [requestBody, responses["200"]].flatMap((part) =>
      Object.values(part?.content ?? {}).flatMap(({ schema }) =>
        schema === undefined ? [] : [[operationId, schema] as const],
      ),
    ),
  )
  const { named, referring, replaced } = repeatedIn([...Object.entries(own), ...contents])
  const withReferences = (content: Content, withExample = true): Content =>
    Object.fromEntries(
      Object.entries(content).map(([type, { schema, example }]) => [
        type,
        { ...(schema && { schema: referring(schema) }), ...(withExample && example !== undefined && { example }) },
      ]),
    )
  const brief = (parameter: Parameter): Parameter =>
    parameter.schema.title === "UUID" ? { ...parameter, schema: replaced(parameter.schema) } : parameter
  // Its twin for agents has the example and the description.
  const isTwin = ({ operationId }: Pick<SharingRoute, "operationId">) => operationId.endsWith(inBrowser)
  const briefly = ({ description, requestBody, responses, parameters, ...rest }: SharingRoute) => ({
    ...rest,
    parameters: parameters.map((each) => ("$ref" in each ? each : brief(each))),
    description: isTwin(rest) ? `${rest.operationId.replace(inBrowser, "")} for a person signed in.` : description,
    ...(requestBody && {
      requestBody: { ...requestBody, content: withReferences(requestBody.content, !isTwin(rest)) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, answer]) => [
        status,
        status === "200" && answer.content ? { ...answer, content: withReferences(answer.content) } : answer,
      ]),
    ),
  })
  const components: Components = {
    schemas: { ...Object.fromEntries(Object.entries(own).map(([name, each]) => [name, referring(each)])), ...named },
    responses: { ...commonResponses, ...parts.responses },
    parameters: Object.fromEntries(Object.entries(parts.parameters).map(([name, each]) => [name, brief(each)])),
  }
  return {
    routes,
    components,
    sharing: routes.map((route, index) => ({ ...route, operation: briefly(present(sharing[index])) })),
  }
}

/** Every route by itself, without references to shared parameters and refusals. */
export const wholeRoutes = (): readonly OpenApiRoute[] => (made ??= ofRegistry()).routes

type BriefRoute = ReturnType<typeof ofRegistry>["sharing"][number]["operation"]

/** Groups routes by path, with one member for each method. */
function paths(routes: ReturnType<typeof ofRegistry>["sharing"]): Record<string, Record<string, BriefRoute>> {
  const items: Record<string, Record<string, BriefRoute>> = {}
  for (const { path, method, operation } of routes) items[path] = { ...items[path], [method]: operation }
  return items
}

/** The components that a part of the document uses, directly or through others. */
function usedBy(part: unknown, all: Components): Components {
  const found = new Set<string>()
  const follow = (from: unknown): void => {
    for (const [, kind, name = ""] of JSON.stringify(from).matchAll(/"#\/components\/([a-z]+)\/([^"]+)"/g)) {
      if (found.has(`${kind} ${name}`)) continue
      found.add(`${kind} ${name}`)
      const { schemas, responses, parameters } = all
      follow((kind === "schemas" ? schemas : kind === "responses" ? responses : parameters)[name] ?? {})
    }
  }
  follow(part)
  const used = <T>(kind: string, parts: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => found.has(`${kind} ${name}`)))
  return {
    schemas: used("schemas", all.schemas),
    responses: used("responses", all.responses),
    parameters: used("parameters", all.parameters),
  }
}

const bearer = (token: string) => ({
  type: "http",
  scheme: "bearer",
  description: `${token} Requests that carry an Origin header are refused.`,
})

/** The document of all routes, or of one slice: its routes and the schemas that they use. */
export function openApi({ baseUrl, softwareVersion }: Program, slice?: Slice) {
  const { sharing, components } = (made ??= ofRegistry())
  const served = paths(sharing.filter((route) => slice === undefined || route.slice === slice))
  return {
    openapi: "3.1.1",
    info: {
      title: serviceName,
      version: softwareVersion,
      summary: "Public research organised in Rooms, written by people and by agents.",
      description:
        `Protocol version ${protocolVersion}. Answers may gain members without a new version; ` +
        "bodies take only the members described here.",
      contact: { name: "The operator of this instance", url: `${baseUrl}/` },
      license: licence,
    },
    servers: [{ url: baseUrl }],
    tags: Object.values(tags),
    paths: served,
    components: {
      ...(slice === undefined ? components : usedBy(served, components)),
      securitySchemes: {
        [securitySchemes.credential]: bearer("A Room credential, issued by a member in the browser."),
        [securitySchemes.key]: bearer("A personal key, issued by a person for their own Library."),
        [securitySchemes.session]: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookie,
          description: "Set by signing in. Writes must come from a page of the service itself, by their Origin header.",
        },
      },
    },
  }
}

export type OpenApiDocument = ReturnType<typeof openApi>
