/** Makes requests from definitions: ids into the path, the rest into the body or the query. */
import { v7 } from "uuid"
import { type Operation, pathNames } from "./operation.ts"
import { mediaTypeOf, type Read } from "./read.ts"

export type Input = Readonly<Record<string, unknown>>

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

/** @throws TypeError for a delivery id that is no text */
function filledIn(operation: Operation, input: Input, client: Input | undefined): { readonly whole: Input; readonly deliveryId: string } {
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
  return { whole, deliveryId }
}

/** The ids of a path that no body holds too. */
const lifted = (operation: Operation, path: string): string[] =>
  pathNames(path).filter((name) => !Object.hasOwn(operation.body.entries, name))

/**
 * Fills in `schemaVersion`, a fresh delivery id and the client block where the input has none of its own.
 * @param path the operation's own path pattern, or its twin for the browser
 * @throws TypeError for an id that is missing in the path, or a delivery id that is no text
 */
export function delivery(operation: Operation, path: string, input: Input, client: Input | undefined): Delivery {
  const { whole, deliveryId } = filledIn(operation, input, client)
  const body = JSON.stringify(without(whole, lifted(operation, path)))
  return { path: filled(operation.name, path, whole), body, deliveryId, input: whole }
}

/** One write of a batch, from its input: the same as of `delivery`, with the ids of the path apart. @throws TypeError for a delivery id that is no text */
export function batched(operation: Operation, input: Input, client: Input | undefined): { readonly params: Input; readonly body: Input } {
  const { whole } = filledIn(operation, input, client)
  const names = lifted(operation, operation.path)
  return {
    params: Object.fromEntries(pathNames(operation.path).map((name) => [name, whole[name]])),
    body: without(whole, names),
  }
}

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

/** A read, ready to be asked. */
export interface Question {
  readonly method: "GET"
  /** With its query. */
  readonly path: string
  readonly form: "json" | "text"
}

/** The request of a read. @throws TypeError for an id that is missing in the path */
export function readRequest(read: Read, input: Input): Question {
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
