/** What the ledger is built from. */
import type { Gate } from "../journal/actor.ts"
import type { Db } from "../storage/database.ts"
import type { World } from "../world.ts"
import type { Leave } from "../cut.ts"
import type { OutsideCheck } from "./admission.ts"
import type { GroupHooks } from "./commit-queue.ts"

export interface LedgerParts {
  readonly db: Db
  readonly world: World
  readonly gate: Gate
  /** Says whether a pinned repository is public and its commit exists. */
  readonly repositories: OutsideCheck
  readonly hooks?: GroupHooks
  /** Removes withheld words from whatever still holds them; left out, nothing does. */
  readonly cleanse?: () => Promise<void>
  /** Makes Rooms of other instances leave; left out, nothing does. */
  readonly leave?: (leave: Leave) => void
}
