/** Makes requests from definitions: ids into the path, the rest into the body or the query. */
import { v7 } from "uuid"
import { discoveryRoutes } from "../contract/discovery/routes.ts"
import { type Operation, pathNames } from "../contract/operation.ts"
import { operations } from "../contract/operations/index.ts"
import { mediaTypeOf, type Read } from "../contract/read.ts"
import { reads } from "../contract/reads/index.ts"
import type { Request } from "./transport.ts"

export type Input = Readonly<Record<string, unknown>>
/** What a caller gave, member by member. */
export const given = (input: object = {}): Input => Object.fromEntries(Object.entries(input))

const operationsByName = new Map(operations.map((definition) => [definition.name, definition]))
const readsByName = new Map([...reads, ...discoveryRoutes].map((definition) => [definition.name, definition]))

/** @throws TypeError for a name that the contract does not have */
export function operationOf(name: string): Operation {
  const definition = operationsByName.get(name)
  if (definition === undefined) throw new TypeError(`${name} is not an operation`)
  return definition
}

/** @throws TypeError for a name that the contract does not have */
export function readOf(name: string): Read {
  const definition = readsByName.get(name)
  if (definition === undefined) throw new TypeError(`${name} is not a read`)
  return definition
}

/** Puts the ids of a path in their places. @throws TypeError naming the id that is missing */
function filled(name: string, pattern: string, input: Input): string {
  return pattern.replace(/\{([a-zA-Z]+)\}/g, (_place, id: string) => {
    const value = input[id]
    if (typeof value !== "string" || value === "") throw new TypeError(`${name} needs ${id}`)
    return encodeURIComponent(value)
  })
}

const without = (input: Input, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))

/** A write, ready to be sent as often as it takes. */
export interface Delivery {
  readonly path: string
  readonly body: string
  readonly deliveryId: string
  /** The input with everything that was filled in. */
  readonly input: Input
}

/**
 * Fills in `schemaVersion`, a fresh delivery id and the client block where the input has none of its own.
 * @param path the operation's own path pattern, or its twin for the browser
 */
export function delivery(operation: Operation, path: string, input: Input, client: Input | undefined): Delivery {
  const said = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  // Ids that grow with time fall beside each other in the service's index of receipts; random ones are spread over all of it.
  const deliveryId = said[operation.delivery] ?? v7()
  if (typeof deliveryId !== "string") throw new TypeError(`${operation.delivery} must be a string`)
  const whole: Input = {
    schemaVersion: operation.schemaVersion,
    ...(client === undefined ? {} : { client }),
    ...said,
    [operation.delivery]: deliveryId,
  }
  const lifted = pathNames(path).filter((name) => !Object.hasOwn(operation.body.entries, name))
  return { path: filled(operation.name, path, whole), body: JSON.stringify(without(whole, lifted)), deliveryId, input: whole }
}

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

/** The request of a read. */
export function readRequest(read: Read, input: Input): Request {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(without(input, pathNames(read.path)))) {
    if (value !== undefined) query.set(name, asText(value))
  }
  const path = filled(read.name, read.path, input)
  return {
    method: read.method,
    path: query.size === 0 ? path : `${path}?${query}`,
    form: mediaTypeOf(read, input.format) === "application/json" ? "json" : "text",
  }
}
