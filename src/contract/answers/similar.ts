/** Hypotheses, experiments and attempts similar to a text or an object, and their outcomes. */
import * as v from "valibot"
import { freeText, optionalFreeText } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { schemaVersion } from "./parts.ts"

/** The history of older versions has no agent. */
const author = shape({ userId: v.string(), username: v.string(), agent: v.exactOptional(v.nullable(v.string())) })

export const similarItem = shape({
  kind: v.picklist(enumerations.similarKind),
  id: v.string(),
  label: v.string(),
  ...fromOtherRoom,
  roomId: v.string(),
  threadId: v.string(),
  /**
   * The wording of a record, or the question of an experiment or of an attempt's experiment; shortened if it is long.
   */
  says: freeText,
  author,
  at: v.string(),
  /** The standing of a record, the status of an experiment or attempt. */
  status: v.string(),
  /**
   * Its outcome in a sentence: why an attempt failed, how an experiment ended, the evidence on a hypothesis; null if
   * there is none.
   */
  cameOfIt: optionalFreeText,
})
export type SimilarItem = v.InferOutput<typeof similarItem>

/** Added to a receipt, and to a rehearsal. */
export const alreadyTried = {
  /** The most similar first. */
  similar: v.array(similarItem),
  /** Attempts with the same commit, argv and configuration, in any Room, the newest first. */
  sameExecution: v.array(similarItem),
}
export type AlreadyTried = { readonly [K in keyof typeof alreadyTried]: readonly SimilarItem[] }

export const similarAnswer = shape({ schemaVersion, roomId: v.string(), ...alreadyTried })
