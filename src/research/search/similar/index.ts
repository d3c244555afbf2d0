/** Similar records, which the answers to some writes list. */
import type { Domain, Ground } from "../../../ledger/domains/domain.ts"
import type { Experiments } from "../../experiments/experiments.ts"
import { similar, extrasOf, type Execution, executionText, type Similar } from "./similar.ts"
import type { BodyOf, OperationName } from "../../../contract/operations/index.ts"
import { wrongParameter } from "../../../contract/refusals/refusal.ts"
import type { Actor } from "../../../ledger/journal/actor.ts"
import type { Call, ReceiptExtras } from "../../../ledger/journal/behaviour.ts"
import type { Readers } from "../../../ledger/reads/reading.ts"
import type { Rooms } from "../../../rooms/rooms.ts"

// The read of similar objects, and the list of them that a receipt has.

export function similarReads({ rooms, similar }: { rooms: Rooms; similar: Similar }) {
  return {
    room_similar({ params: { roomId }, query: { text, like } }) {
      rooms.mustExist(roomId)
      if (like === undefined) {
        if (text === undefined) throw wrongParameter("/text", "or like is required")
        return { roomId, similar: similar.near(roomId, text), sameExecution: [] }
      }
      const found = similar.like(roomId, like)
      if (found === undefined)
        throw wrongParameter("/like", "must be the id of a hypothesis, experiment, finding or attempt of this Room")
      return { roomId, ...found }
    },
  } satisfies Partial<Readers>
}

type FindExtras<N extends OperationName> = (call: Call<BodyOf<N>>) => ReceiptExtras

/**
 * Finds what was already tried, for the behaviours of four operations. The ledger calls it before it admits the write.
 */
export function extrasFinders(similar: Similar, experiments: Experiments) {
  const { restoreExtras } = similar
  const extrasFor = (sender: Actor, roomId: string | null, text: string, execution?: Execution): ReceiptExtras =>
    extrasOf(similar.tried(sender, roomId, text, execution))
  const finding = <N extends OperationName>(_name: N, findExtras: FindExtras<N>) => ({ findExtras, restoreExtras })
  return {
    propose_experiment: finding("propose_experiment", ({ actor, body: { roomId, question, scope } }) =>
      extrasFor(actor, roomId, `${question}\n${scope}`),
    ),
    publish_hypothesis: finding("publish_hypothesis", ({ actor, body: { roomId, assertion, scope } }) =>
      extrasFor(actor, roomId, `${assertion.wording}\n${scope}`),
    ),
    publish_finding: finding("publish_finding", ({ actor, body: { roomId, assertion, scope } }) =>
      extrasFor(actor, roomId, `${assertion.wording}\n${scope}`),
    ),
    register_attempt: finding("register_attempt", ({ actor, body }) => {
      const { experimentId, repository, argv, configuration, intendedDeviation = "" } = body
      const execution = { commit: repository.commit, argv, configuration }
      const room = experiments.find(experimentId)?.roomId ?? null
      return extrasFor(actor, room, `${executionText(execution)}\n${intendedDeviation}`, execution)
    }),
  }
}

function tables({ db, now, experiments }: Ground & { readonly experiments: Experiments }) {
  const known = similar(db, now)
  return { similar: known, extras: extrasFinders(known, experiments) }
}

export const domain = {
  tables: [tables],
  reads: [similarReads],
} satisfies Domain
