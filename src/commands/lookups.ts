/** Finds the people and Rooms that the arguments of a command name. */
import type { Instance } from "../app/compose/instance.ts"
import type { Person } from "../people/people.ts"
import { UsageError } from "../settings.ts"

/** @throws UsageError if no user has this name */
export function personNamed({ tables }: Instance, username: string): Person {
  const person = tables.people.named(username.toLowerCase())
  if (person === undefined) throw new UsageError(`There is no user named ${username}.`)
  return person
}

/** @returns the id as it is stored. @throws UsageError if there is no such Room */
export function roomWithId({ tables }: Instance, id: string): string {
  const roomId = id.toLowerCase()
  if (tables.rooms.openingThread(roomId) === undefined) throw new UsageError(`There is no Room ${id}.`)
  return roomId
}

/** Finds the operator in whose name a command acts: the only one by default. @throws UsageError */
export function operatorNamed(instance: Instance, name: string | undefined): string {
  const { people } = instance.tables
  const operators = people.all().filter(({ userId }) => people.isOperator(userId))
  const [first, ...others] = operators
  if (name === undefined && first !== undefined && others.length === 0) return first.username
  const named = operators.find(({ username }) => username === name?.toLowerCase())
  if (named !== undefined) return named.username
  const names = operators.map(({ username }) => username).join(", ")
  throw new UsageError(
    name === undefined ? `Name the operator who does it with --by: ${names}.` : `${name} is not an operator here: ${names}.`,
  )
}
