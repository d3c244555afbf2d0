/** Runs an operation in the name of a person, with the same checks as in the browser. */
import { type JsonObject, trusted } from "../contract/json.ts"
import { type OperationName, operationOf } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Instance } from "../app/compose/instance.ts"
import { UsageError } from "../settings.ts"
import { personNamed } from "./lookups.ts"

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

/** Admits a write of a person and returns the result in its receipt. @throws UsageError for a refusal */
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
