/** What a command does for a person goes through the same door as what they do in the browser. */
import { type JsonObject, trusted } from "../contract/json.ts"
import { operationNamed } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Instance } from "../app/compose/instance.ts"
import type { Person } from "../people/people.ts"
import { UsageError } from "../settings.ts"

/** @throws UsageError for a name that nobody has */
export function personNamed({ tables }: Instance, username: string): Person {
  const person = tables.people.named(username.toLowerCase())
  if (person === undefined) throw new UsageError(`There is no user named ${username}.`)
  return person
}

/** Does as the named person what the browser route does, and returns the receipt's result. @throws UsageError for a refusal */
export async function admitAs(
  instance: Instance,
  username: string,
  name: string,
  params: Record<string, string>,
  body: object,
): Promise<JsonObject> {
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(`${name} is not an operation`)
  const person = personNamed(instance, username)
  try {
    const actor = { userId: person.userId, username: person.username, grant: null }
    const receipt = await instance.ledger.admit({
      operation,
      actor,
      params,
      body: { schemaVersion: operation.schemaVersion, requestId: instance.world.id(), ...body },
    })
    return trusted<{ result: JsonObject }>(receipt).result
  } catch (error) {
    // What the disk does is no wrong call.
    if (!(error instanceof Refusal) || error.code === "temporarily_unavailable") throw error
    const issues = error.details.issues?.map(({ path, message }) => `${path.slice(1)} ${message}`) ?? []
    throw new UsageError([error.message, ...issues].join(" "))
  }
}

/** A comma-separated list, as a flag takes it. */
export const listOf = (value: string): string[] => (value.trim() === "" ? [] : value.split(",").map((part) => part.trim()))
