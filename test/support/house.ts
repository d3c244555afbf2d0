/** A Room of ada's and grace's without a service: the ledger, driven directly, on a real file. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { Receipt } from "../../src/contract/answers/index.ts"
import type { OperationName } from "../../src/contract/operations/index.ts"
import { operationNamed } from "../../src/contract/operations/index.ts"
import { Refusal, type RefusalCode } from "../../src/contract/refusals/refusal.ts"
import { createInstance } from "../../src/app/compose/instance.ts"
import type { Actor } from "../../src/ledger/journal/actor.ts"
import type { OutsideCheck } from "../../src/ledger/write/admission.ts"
import { openData } from "../../src/ledger/storage/data.ts"
import { isoTime, realWorld } from "../../src/ledger/world.ts"
import { Narrator, StoryClock } from "../../src/demo/narrator.ts"
import { type Body, freshId } from "./bodies.ts"
import { temporaryFolder } from "./service.ts"

export interface Sent {
  readonly actor: Actor
  readonly name: OperationName
  readonly params?: Readonly<Record<string, string>>
  readonly body: Body
  readonly rehearse?: boolean
}

export type House = Awaited<ReturnType<typeof openHouse>>

/**
 * Opens a house. Its clock stands still until the test moves it. @param repositories says which are public; if omitted,
 * nothing is looked up
 */
export async function openHouse(repositories?: OutsideCheck) {
  const folder = temporaryFolder()
  const clock = new StoryClock(Date.parse("2026-11-20T09:00:00.000Z"))
  const { db, world, instanceId } = openData(join(folder, "research-room.db"), realWorld(clock.read))
  const instance = createInstance({ db, world, instanceId, ...(repositories && { repositories }) })
  const narrator = new Narrator(instance, clock)
  const ada = await narrator.person("ada")
  const grace = await narrator.person("grace")
  const { roomId, openingThreadId: threadId } = (await narrator.does(ada, "create_room", {}, { title: "Warm-up" }))
    .result
  await narrator.does(ada, "add_member", { roomId }, { username: "grace" })

  const operation = (name: OperationName) => {
    const found = operationNamed(name)
    if (found === undefined) throw new Error(`${name} is not an operation`)
    return found
  }
  return {
    db,
    instance,
    clock,
    roomId,
    threadId,
    folder,
    ada: { userId: ada.userId, username: ada.username, grant: null } satisfies Actor,
    grace: { userId: grace.userId, username: grace.username, grant: null } satisfies Actor,

    /** Issues a credential and admits a request with it, as the HTTP layer does. */
    async credential(
      person: Actor,
      more: Body = {},
    ): Promise<Actor & { readonly token: string; readonly credentialId: string }> {
      const body = {
        schemaVersion: 3,
        requestId: freshId(),
        label: `agent ${freshId()}`,
        permissions: ["post_thread", "publish_records", "manage_own_experiments"],
        ...more,
      }
      const text = await instance.ledger.admit({
        operation: operation("issue_credential"),
        actor: person,
        params: { roomId },
        body,
      })
      const { token, credentialId } = (JSON.parse(text) as { result: { token: string; credentialId: string } }).result
      return { ...instance.tables.credentials.authenticate(token, isoTime(world.now())), token, credentialId }
    },

    /** Sends a write to the ledger. @throws Refusal */
    async admit({ name, params = {}, ...sent }: Sent): Promise<Receipt> {
      return JSON.parse(await instance.ledger.admit({ operation: operation(name), params, ...sent })) as Receipt
    },

    close(): void {
      db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The code a write was refused with, `accepted`, or `replayed`. @throws any other error */
export const outcomeOf = (write: Promise<Receipt>): Promise<RefusalCode | "accepted" | "replayed"> =>
  write.then(
    ({ replayed }) => (replayed === true ? "replayed" : "accepted"),
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )
