/** Step 13 of a write: the operation's own changes, and the parts that every write has. */
import type { Json } from "../../contract/json.ts"
import { label as labelText } from "../../contract/objects/labels.ts"
import type { Change, Subject } from "../journal/behaviour.ts"
import { type Chance, OtherChance } from "../journal/chance.ts"
import type { Delivery } from "../journal/delivery.ts"
import type { Journal } from "../journal/journal.ts"
import type { Recorded, Recorder } from "./recorder.ts"
import type { Sequences } from "./sequences.ts"

export interface WritingParts {
  readonly journal: Journal
  readonly sequences: Sequences
  readonly recorder: Recorder
  /** Called with a Room that has a new entry; valid only if the transaction commits. */
  readonly landed: (roomId: string) => void
}

export class Writing {
  readonly #parts: WritingParts

  constructor(parts: WritingParts) {
    this.#parts = parts
  }

  /** Makes an admitted write. Within an open transaction. */
  write(delivery: Delivery, subject: Subject, at: string, chance: Chance): Recorded {
    const { actor, operation } = delivery
    const written = operation.family === "library" ? delivery : { ...delivery, actor: { ...actor, agent: actor.agent ?? "" } }
    const recorded = this.#do(written, subject, at, chance, true)
    if (recorded.activity !== null && recorded.roomId !== null) this.#parts.landed(recorded.roomId)
    return recorded
  }

  /** Replays a write, without waking readers of the feed. */
  replay(delivery: Delivery, subject: Subject, at: string, chance: Chance): Recorded {
    return this.#do(delivery, subject, at, chance, false)
  }

  #do(delivery: Delivery, subject: Subject, at: string, chance: Chance, isNew: boolean): Recorded {
    const { behaviour, prepared, keptExtras } = delivery
    const change = this.#change(at, subject.roomId, chance)
    const outcome = behaviour.write(delivery, subject, change)
    const { originRoomId } = outcome.target
    const given = chance.given()
    if (!isNew && given.labelledBy !== originRoomId)
      throw new OtherChance(
        `its label was given by Room ${originRoomId ?? subject.roomId}, and was recorded as given by ${given.labelledBy ?? "its own"}`,
      )
    const labelledBy = isNew ? originRoomId : undefined
    return this.#parts.recorder.record(delivery, subject, change, outcome, {
      ...given,
      ...(prepared !== undefined && { prepared: prepared as Json }),
      ...(keptExtras !== undefined && { foreseen: keptExtras }),
      ...(labelledBy !== undefined && { labelledBy }),
    })
  }

  #change(at: string, roomId: string | null, { newId, token, told }: Chance): Change {
    const { journal, sequences } = this.#parts
    return {
      at,
      position: journal.next(),
      entryId: newId(),
      newId,
      token,
      told,
      label: (kind) => {
        if (roomId === null) throw new Error("only a Room can give a label")
        return labelText(kind, sequences.ordinal(roomId, kind))
      },
      ordinal: (room, kind) => sequences.ordinal(room, kind),
    }
  }
}
