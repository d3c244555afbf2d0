/** What is near to a text, or to an object: what was thought of, asked or tried before, and what came of it. */
import * as v from "valibot"
import { said, optionalSaid } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { schemaVersions } from "../versions.ts"

/** What the history of earlier programs kept has no agent. */
const author = shape({ userId: v.string(), username: v.string(), agent: v.exactOptional(v.nullable(v.string())) })

export const similarItem = shape({
  kind: v.picklist(enumerations.similarKind),
  id: v.string(),
  label: v.string(),
  ...fromOtherRoom,
  roomId: v.string(),
  threadId: v.string(),
  /** The wording of a record, the question of an experiment and of an attempt's experiment; cut where it is long. */
  says: said,
  author,
  at: v.string(),
  /** The standing of a record, the status of an experiment or attempt. */
  status: v.string(),
  /** What came of it, in a sentence: why an attempt failed, how an experiment ended, what counts for and against a hypothesis; null where nothing did. */
  cameOfIt: optionalSaid,
})
export type SimilarItem = v.InferOutput<typeof similarItem>

/** What stands beside a receipt, and in a rehearsal of it. */
export const alreadyTried = {
  /** The nearest first. */
  similar: v.array(similarItem),
  /** Attempts with the same commit, argv and configuration, in whatever Room, the newest first. */
  sameExecution: v.array(similarItem),
}
export type AlreadyTried = { readonly [K in keyof typeof alreadyTried]: readonly SimilarItem[] }

export const similarAnswer = shape({ schemaVersion: v.literal(schemaVersions.research), roomId: v.string(), ...alreadyTried })
