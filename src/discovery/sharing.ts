/**
 * Names what many routes of the OpenAPI document have in common: parameters, refusals, and enumerations of parameters,
 * for which generators of clients would otherwise invent names from route and parameter.
 */
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { refusals } from "../contract/refusals/refusal.ts"
import type { DescribedAnswer, DescribedRoute } from "./openapi-parts.ts"
import { reference, typeName } from "./components.ts"
import type { Parameter } from "./parameters.ts"

/** A part is named if at least this many routes have it. */
const MANY = 2

export interface Reference {
  readonly $ref: string
}
type Kind = "parameters" | "responses" | "schemas"
const referenceTo = (kind: Kind, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })

/** A route with references to what is shared. */
export interface SharingRoute extends Omit<DescribedRoute, "parameters" | "responses"> {
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
export function shared(routes: readonly DescribedRoute[]): {
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
