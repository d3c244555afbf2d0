/**
 * Opens the data folder of a command, whether or not a service is running on it, and finds and does what the command
 * names there.
 */
import { accessSync, constants } from "node:fs"
import { Command } from "commander"
import { codeOf } from "../contract/faults.ts"
import { type JsonObject, trusted } from "../contract/json.ts"
import { type OperationName, operationOf } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { createInstance, type Instance } from "../app/compose/instance.ts"
import { openForward } from "../app/compose/upgrade.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import { DataError, storedSchema } from "../ledger/storage/opening.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { latestSchema } from "../ledger/storage/schema.ts"
import type { Person } from "../people/people.ts"
import { dataOption, UsageError } from "../settings.ts"
import { withProgress } from "./progress.ts"
import { runningCommand } from "./running.ts"

/**
 * Locks a folder whose data must be upgraded: a running service has an older version and relies on its own schema.
 * @throws DataError if there is such a service
 */
function lockIfOlder(folder: string): () => void {
  const stored = storedSchema(databaseFile(folder))
  if (stored === null || stored >= latestSchema) return () => {}
  try {
    return lockFolder(folder)
  } catch (error) {
    if (!(error instanceof DataError)) throw error
    throw new DataError(
      `The data has schema ${stored}, and this program would upgrade it to ${latestSchema} while a service uses it. ` +
        `Nothing was changed. Use the program of that service, or end it first. ${error.message}`,
    )
  }
}

/** @throws DataError if the folder holds no data, or this user may not read it */
export function mustHoldData(folder: string): void {
  try {
    accessSync(databaseFile(folder), constants.R_OK)
  } catch (error) {
    if (codeOf(error) !== "EACCES")
      throw new DataError(`There is no research-room data in ${folder}. Name its folder with --data.`)
    throw new DataError(`This user may not read ${databaseFile(folder)}.`)
  }
}

export interface OpenOptions {
  readonly make?: boolean
  /** Whether to lock the folder while the command runs, because a running service caches what the command changes. */
  readonly alone?: boolean
}

/** Runs work on the instance in a folder. @throws DataError if the folder holds no data, or a service uses it */
export async function withInstance<T>(
  folder: string,
  work: (instance: Instance) => T | Promise<T>,
  { make = false, alone = false }: OpenOptions = {},
): Promise<T> {
  using opened = new DisposableStack()
  if (!make) mustHoldData(folder)
  if (alone) opened.defer(lockFolder(folder))
  const release = alone ? () => {} : lockIfOlder(folder)
  const { db, world, instanceId, openReader } = await withProgress((onProgress) =>
    openForward(databaseFile(folder), undefined, onProgress),
  ).finally(release)
  opened.defer(() => db.close())
  return await work(createInstance({ db, world, instanceId, openReader, command: runningCommand() }))
}

/** A command on the data in the folder that its option `--data` names. */
class DataCommand extends Command {
  /** Sets what the command does on the instance. @param work also gets the arguments and the options */
  work<A extends unknown[]>(work: (instance: Instance, ...given: A) => unknown, open?: OpenOptions): this {
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
