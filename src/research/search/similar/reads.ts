/** The read of what is similar, and what a write is told of it. */
import type { SimilarKind } from "../../../contract/schema/enumerations.ts"
import type { BodyOf, OperationName } from "../../../contract/operations/index.ts"
import { Refusal } from "../../../contract/refusals/refusal.ts"
import type { Concepts } from "../../../contract/definitions/science.ts"
import type { Call, Foreseen } from "../../../ledger/journal/behaviour.ts"
import type { Readers } from "../../../ledger/reads/reading.ts"
import type { Rooms } from "../../../rooms/rooms.ts"
import type { Experiments } from "../../experiments/experiments.ts"
import { foreseenOf } from "./items.ts"
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
        throw new Refusal("invalid_parameter", `${path.slice(1)} ${message}.`, { issues: [{ path, message }] })
      }
      return {
        roomId,
        similar: similar.near(roomId, found, like),
        sameExecution: like === undefined ? [] : similar.sameAs(found, like, roomId),
      }
    },
  } satisfies Partial<Readers>
}

/** The concepts of a record as search reads them. */
const conceptsText = (concepts: Concepts): string =>
  Object.entries(concepts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { label, definition }]) => `${label}: ${definition}`)
    .join("\n")

type Foresee<N extends OperationName> = (call: Call<BodyOf<N>>) => Foreseen

/** What each operation is told of what was already tried: looked up before it is admitted, from what stands there then. */
export function foreseers(similar: Similar, experiments: Experiments) {
  /** @param more what search reads of it beside the text that is looked for */
  const told = (kind: SimilarKind, roomId: string | null, text: string, more = "", execution?: Execution): Foreseen => ({
    ...foreseenOf(similar.tried(roomId, text, execution)),
    accepted(made) {
      if (roomId !== null) similar.add(roomId, kind, made, () => `${text}\n${more}`)
    },
  })
  const propose_experiment: Foresee<"propose_experiment"> = ({ body: { roomId, question, scope } }) =>
    told("experiment", roomId, `${question}\n${scope}`)
  const publish_hypothesis: Foresee<"publish_hypothesis"> = ({ body: { roomId, assertion, scope, concepts } }) =>
    told("hypothesis", roomId, `${assertion.wording}\n${scope}`, conceptsText(concepts))
  const register_attempt: Foresee<"register_attempt"> = ({ body }) => {
    const { experimentId, repository, argv, configuration, intendedDeviation = "" } = body
    const execution = { commit: repository.commit, argv, configuration }
    const room = experiments.find(experimentId)?.roomId ?? null
    return told("attempt", room, `${executionText(execution)}\n${intendedDeviation}`, "", execution)
  }
  return { propose_experiment, publish_hypothesis, register_attempt }
}
