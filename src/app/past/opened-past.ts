/** Opens a Room as it was, for the thread that caches it or for a reader thread. */
import type { StoredPast } from "../../edge/limits/readers.ts"
import type { Past } from "../../edge/edge.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { openMade } from "../../ledger/storage/opening.ts"
import { realWorld } from "../../ledger/world.ts"
import { createInstance, type Instance } from "../compose/instance.ts"

/** The service that holds the Room. */
type Service = Pick<Parameters<typeof createInstance>[0], "instanceId" | "lineage" | "basePath">

/** Creates an instance whose clock shows the time of the entry. */
export const pastInstance = (db: Db, { acceptedAt }: Past["asOf"], service: Service): Instance =>
  createInstance({ db, world: realWorld(() => Date.parse(acceptedAt)), ...service })

/** Opens a file that another thread keeps until it is closed. */
export function openPast({ roomId, asOf, file }: StoredPast, service: Service): Past {
  const db = openMade(file)
  return { roomId, asOf, file, instance: pastInstance(db, asOf, service), [Symbol.dispose]: () => db.close() }
}
