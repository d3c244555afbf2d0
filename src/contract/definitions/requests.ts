/** Builds requests from definitions: the ids go into the path, the rest into the body or the query. */
import { v7 } from "uuid"
import { type Operation, pathNames } from "./operation.ts"
import { mediaTypeOf, type Read } from "./read.ts"

export type Input = Readonly<Record<string, unknown>>

/** Puts the ids into a path. @throws TypeError naming the id that is missing */
function filled(name: string, pattern: string, input: Input): string {
  return pattern.replace(/\{([a-zA-Z]+)\}/g, (_place, id: string) => {
    const value = input[id]
    if (typeof value !== "string" || value === "") throw new TypeError(`${name} needs ${id}`)
    return encodeURIComponent(value)
  })
}

const without = (input: Input, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))

/** @throws TypeError if the delivery id is not a string */
function filledIn(
  operation: Operation,
  input: Input,
  client: Input | undefined,
): { readonly whole: Input; readonly deliveryId: string } {
  const defined = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  // Ids that grow with time are neighbours in the service's index of receipts; random ones are spread over all of it.
  const deliveryId = defined[operation.delivery] ?? v7()
  if (typeof deliveryId !== "string") throw new TypeError(`${operation.delivery} must be a string`)
  const whole: Input = {
    schemaVersion: operation.schemaVersion,
    ...(client === undefined ? {} : { client }),
    ...defined,
    [operation.delivery]: deliveryId,
  }
  return { whole, deliveryId }
}

const pathOnly = (operation: Operation, path: string): string[] =>
  pathNames(path).filter((name) => !Object.hasOwn(operation.body.entries, name))

/**
 * Fills in `schemaVersion`, a new delivery id and the client block if the input does not have them.
 * @param path the operation's own path pattern, or its twin for the browser
 * @returns a write that is ready to be sent and retried, and the input with the defaults filled in
 * @throws TypeError if an id in the path is missing, or the delivery id is not a string
 */
export function delivery(operation: Operation, path: string, input: Input, client: Input | undefined) {
  const { whole, deliveryId } = filledIn(operation, input, client)
  const body = JSON.stringify(without(whole, pathOnly(operation, path)))
  return { path: filled(operation.name, path, whole), body, deliveryId, input: whole }
}

/**
 * One write of several in a request: as `delivery`, but with the ids of the path kept apart. @throws TypeError if the
 * delivery id is not a string
 */
export function withIdsApart(
  operation: Operation,
  input: Input,
  client: Input | undefined,
): { readonly params: Input; readonly body: Input } {
  const { whole } = filledIn(operation, input, client)
  const names = pathOnly(operation, operation.path)
  return {
    params: Object.fromEntries(pathNames(operation.path).map((name) => [name, whole[name]])),
    body: without(whole, names),
  }
}

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

/** Builds the request of a read. Its path includes the query. @throws TypeError if an id in the path is missing */
export function readRequest(read: Read, input: Input) {
  const { method } = read
  const form = mediaTypeOf(read, input.format) === "application/json" ? ("json" as const) : ("text" as const)
  const given = Object.entries(without(input, pathNames(read.path))).filter(([, value]) => value !== undefined)
  const path = filled(read.name, read.path, input)
  if (method === "POST") return { method, path, form, body: JSON.stringify(Object.fromEntries(given)) }
  const query = new URLSearchParams(given.map(([name, value]) => [name, asText(value)]))
  return { method, path: query.size === 0 ? path : `${path}?${query}`, form }
}
