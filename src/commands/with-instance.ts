/** Runs a command on the data folder that it names, and finds and does what the command names there. */
import { Command } from "commander"
import type { JsonObject } from "../contract/json.ts"
import type { OperationName } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Instance } from "../app/compose/instance.ts"
import type { Person } from "../people/people.ts"
import { dataOption, UsageError } from "../settings.ts"
import type * as Opening from "./open-instance.ts"

/** Loads the service, and runs work on the instance in a folder. */
export const withInstance: typeof Opening.withInstance = async (...given) =>
  (await import("./open-instance.ts")).withInstance(...given)

/** A command on the data in the folder that its option `--data` names. */
class DataCommand extends Command {
  /** Sets what the command does on the instance. @param work also gets the arguments and the options */
  work<A extends unknown[]>(work: (instance: Instance, ...given: A) => unknown, open?: Opening.OpenOptions): this {
    return this.action(async (...given: A) => {
      await withInstance(this.opts().data, (instance) => work(instance, ...given), open)
    })
  }
}

export const dataCommand = (name: string, description: string): DataCommand =>
  new DataCommand(name).description(description).addOption(dataOption())

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
    name === undefined
      ? `Name the operator who does it with --by: ${names}.`
      : `${name} is not an operator here: ${names}.`,
  )
}

/** Runs work and reports a refusal as a usage error, with advice. A disk failure is not a usage error. */
export async function refusalsAsUsage<T>(work: () => T | Promise<T>, advice = ""): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === "temporarily_unavailable") throw error
    const issues = error.details.issues?.map(({ path, message }) => `${path.slice(1)} ${message}`) ?? []
    throw new UsageError([error.message, ...issues, ...(advice === "" ? [] : [advice])].join(" "))
  }
}

/**
 * Admits a write of a person, with the same checks as in the browser, and returns the result in its receipt. @throws
 * UsageError for a refusal
 */
export async function admitAs(
  instance: Instance,
  username: string,
  name: OperationName,
  params: Record<string, string>,
  body: object,
): Promise<JsonObject> {
  const [{ trusted }, { operationOf }] = await Promise.all([
    import("../contract/json.ts"),
    import("../contract/operations/index.ts"),
  ])
  const operation = operationOf(name)
  const { userId, username: actorName } = personNamed(instance, username)
  return await refusalsAsUsage(async () => {
    const receipt = await instance.ledger.admit({
      operation,
      actor: { userId, username: actorName, grant: null },
      params,
      body: { schemaVersion: operation.schemaVersion, requestId: instance.world.id(), ...body },
    })
    return trusted<{ result: JsonObject }>(receipt).result
  })
}
