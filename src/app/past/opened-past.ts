/** A Room as it was, opened by whoever reads it: the thread that keeps it, or a reading thread. */
import type { StoredPast } from "../../edge/limits/readers.ts"
import type { Past } from "../../edge/past-rooms.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { openMade } from "../../ledger/storage/opening.ts"
import { realWorld } from "../../ledger/world.ts"
import { createInstance, type Instance } from "../compose/instance.ts"

/** Which service the Room is of. */
type Service = Pick<Parameters<typeof createInstance>[0], "instanceId" | "lineage" | "basePath">

/** An instance whose clock stands at the moment of the entry. */
export const instanceThen = (db: Db, { acceptedAt }: Past["asOf"], service: Service): Instance =>
  createInstance({ db, world: realWorld(() => Date.parse(acceptedAt)), ...service })

/** Opens a file that another thread keeps for as long as this one reads it. */
export function openPast({ roomId, asOf, file }: StoredPast, service: Service): Past {
  const db = openMade(file)
  return { roomId, asOf, file, instance: instanceThen(db, asOf, service), [Symbol.dispose]: () => db.close() }
}
