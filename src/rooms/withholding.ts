/** Withholding: removes text from the journal, and so from everything that is derived from it. */
import { Refusal } from "../contract/refusals.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import type { Attachments } from "../ledger/journal/attachments.ts"
import { mustNotRepeat, repeatedIn } from "../ledger/journal/withheld-words.ts"
import type { Withheld } from "../ledger/journal/withheld.ts"
import type { Audit } from "../people/audit.ts"
import type { People } from "../people/people.ts"
import { mustOwnOrOperate, type Rooms } from "./rooms.ts"

export interface Withholding {
  readonly withheld: Withheld
  readonly attachments: Attachments
  readonly rooms: Rooms
  readonly people: People
  readonly audit: Pick<Audit, "withholdNames" | "newest">
  /** The word indexes, in which what a write made is indexed again. */
  readonly search: { indexAgain(ids: readonly string[]): void }
  /** Changes the journal and rebuilds everything that is derived from it. */
  readonly change: (change: () => void) => void
  /**
   * Returns sentences on where copies of the text may remain. Only an operator is told about folders of the machine.
   */
  readonly copies: (isOperator: boolean) => string
}

export function withholdingOperations({
  withheld,
  attachments,
  rooms,
  people,
  audit,
  search,
  change,
  copies,
}: Withholding) {
  const withhold_content = behaviour("withhold_content", {
    subject({ params, body }) {
      const write = withheld.write(params.roomId, body.of)
      return { roomId: params.roomId, threadId: write?.threadId, write }
    },
    references({ actor, body }, { roomId, write }) {
      const role = rooms.standing(roomId, actor.userId)?.role ?? null
      const isOperator = people.isOperator(actor.userId)
      mustOwnOrOperate(actor, { role, isOperator }, "Only the owner of a Room or an operator can withhold content.")
      if (write === undefined) return [{ path: "/of", message: "does not name a write of this Room" }]
      const index = withheld.nowhere(write.position, body.fields)
      return index === undefined
        ? []
        : [{ path: `/fields/${index}`, message: "does not name a part of that write that can be withheld" }]
    },
    admit({ body }, { write }) {
      if (write !== undefined && withheld.places(write, body.fields).length > 0) {
        const places = withheld.standing(write, withheld.places(write, body.fields))
        mustNotRepeat("/explanation", repeatedIn(body.explanation, withheld.texts(write, places)))
        return
      }
      throw new Refusal("state_conflict", "All of that is withheld already.", {
        current: { sequence: write?.sequence ?? null },
      })
    },
    write({ actor, body }, { write }, { position, at }) {
      if (write === undefined) throw new Error("there is nothing to withhold it from")
      const { sequence, contentDigest, target } = write
      const fields = withheld.places(write, body.fields)
      const standing = withheld.standing(write, fields)
      if (standing.length > 0) {
        withheld.remember(actor.userId, write, standing, withheld.texts(write, standing), Date.parse(at))
        change(() => {
          audit.withholdNames(withheld.replace(write, standing))
          attachments.withhold(write.position)
          search.indexAgain(withheld.idsOf(write))
        })
      }
      withheld.note(write, fields, position)
      return {
        target: { kind: target.kind, id: target.id, label: target.label },
        result: { sequence, contentDigest, fields, reason: body.reason, label: target.label },
        secret: { mayStillHold: copies(people.isOperator(actor.userId)) },
      }
    },
  })
  return { withhold_content }
}
