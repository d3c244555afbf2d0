/** The read of similar objects, and the list of them that a receipt has. */
import type { SimilarKind } from "../../../contract/schema/enumerations.ts"
import type { BodyOf, OperationName } from "../../../contract/operations/index.ts"
import { wrongParameter } from "../../../contract/refusals/refusal.ts"
import type { Concepts } from "../../../contract/definitions/science.ts"
import type { Actor } from "../../../ledger/journal/actor.ts"
import type { Call, ReceiptExtras } from "../../../ledger/journal/behaviour.ts"
import type { Readers } from "../../../ledger/reads/reading.ts"
import type { Rooms } from "../../../rooms/rooms.ts"
import type { Experiments } from "../../experiments/experiments.ts"
import { extrasOf } from "./items.ts"
import { type Execution, executionText, type Similar } from "./similar.ts"

export function similarReads(rooms: Rooms, similar: Similar) {
  return {
    room_similar({ params: { roomId }, query: { text, like } }) {
      rooms.mustExist(roomId)
      const found = like === undefined ? text : similar.textOf(roomId, like)
      if (found === undefined) {
        const [path, message] =
          like === undefined
            ? ["/text", "or like is required"]
            : ["/like", "must be the id of a hypothesis, experiment, finding or attempt of this Room"]
        throw wrongParameter(path, message)
      }
      return {
        roomId,
        similar: similar.near(roomId, found, like),
        sameExecution: like === undefined ? [] : similar.sameAs(found, like, roomId),
      }
    },
  } satisfies Partial<Readers>
}

/** The concepts of a record, in the form that search uses. */
const conceptsText = (concepts: Concepts): string =>
  Object.entries(concepts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { label, definition }]) => `${label}: ${definition}`)
    .join("\n")

type FindExtras<N extends OperationName> = (call: Call<BodyOf<N>>) => ReceiptExtras

/**
 * Finds what was already tried, for the behaviours of four operations. The ledger calls it before it admits the write.
 */
export function extrasFinders(similar: Similar, experiments: Experiments) {
  const { restoreExtras } = similar
  /** @param more text of the new object that is indexed but not part of the query */
  const extrasFor = (
    sender: Actor,
    kind: SimilarKind,
    roomId: string | null,
    text: string,
    more = "",
    execution?: Execution,
  ): ReceiptExtras => ({
    ...extrasOf(similar.tried(sender, roomId, text, execution)),
    onAccepted(target) {
      if (roomId !== null) similar.add(roomId, kind, target, () => `${text}\n${more}`)
    },
  })
  const finding = <N extends OperationName>(_name: N, findExtras: FindExtras<N>) => ({ findExtras, restoreExtras })
  return {
    propose_experiment: finding("propose_experiment", ({ actor, body: { roomId, question, scope } }) =>
      extrasFor(actor, "experiment", roomId, `${question}\n${scope}`),
    ),
    publish_hypothesis: finding("publish_hypothesis", ({ actor, body: { roomId, assertion, scope, concepts } }) =>
      extrasFor(actor, "hypothesis", roomId, `${assertion.wording}\n${scope}`, conceptsText(concepts)),
    ),
    publish_finding: finding(
      "publish_finding",
      ({ actor, body: { roomId, assertion, scope, limitations = "", concepts } }) =>
        extrasFor(
          actor,
          "finding",
          roomId,
          `${assertion.wording}\n${scope}`,
          `${limitations}\n${conceptsText(concepts)}`,
        ),
    ),
    register_attempt: finding("register_attempt", ({ actor, body }) => {
      const { experimentId, repository, argv, configuration, intendedDeviation = "" } = body
      const execution = { commit: repository.commit, argv, configuration }
      const room = experiments.find(experimentId)?.roomId ?? null
      return extrasFor(actor, "attempt", room, `${executionText(execution)}\n${intendedDeviation}`, "", execution)
    }),
  }
}
