/** The event that listeners of a Room get for an entry: what happened, and where to read it. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { count, id } from "./fields.ts"
import { activityEntry } from "./timeline.ts"

export const roomEvent = shape({
  roomId: id,
  sequence: count,
  kind: activityEntry.entries.kind,
  label: activityEntry.entries.target.entries.label,
  /** The page that shows the entry. */
  url: v.string(),
})
export type RoomEvent = v.InferOutput<typeof roomEvent>
