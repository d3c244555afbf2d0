/** Looks up operations and reads of the contract by name. */
import { discoveryRoutes } from "../discovery/routes.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { operations } from "../contract/operations/index.ts"
import type { Read } from "../contract/definitions/read.ts"
import { reads } from "../contract/reads/index.ts"
import type { Input } from "../contract/definitions/requests.ts"

/** The caller's input as a plain object. */
export const membersOf = (input: object = {}): Input => Object.fromEntries(Object.entries(input))

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
