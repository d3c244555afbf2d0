/** The read of what is similar, and what a write is told of it. */
import type { BodyOf, OperationName } from "../../../contract/operations/index.ts"
import { Refusal } from "../../../contract/refusals.ts"
import type { Call, Foreseen } from "../../../ledger/behaviour.ts"
import type { Readers } from "../../../ledger/reading.ts"
import type { Rooms } from "../../../rooms/rooms.ts"
import type { Experiments } from "../../experiments/experiments.ts"
import { foreseenOf } from "./items.ts"
import { executionText, type Similar } from "./similar.ts"

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

type Foresee<N extends OperationName> = (call: Call<BodyOf<N>>) => Foreseen

/** What each operation is told of what was already tried: looked up before it is admitted, from what stands there then. */
export function foreseers(similar: Similar, experiments: Experiments) {
  const propose_experiment: Foresee<"propose_experiment"> = ({ body: { roomId, question, scope } }) =>
    foreseenOf(similar.tried(roomId, `${question}\n${scope}`))
  const publish_hypothesis: Foresee<"publish_hypothesis"> = ({ body: { roomId, assertion, scope } }) =>
    foreseenOf(similar.tried(roomId, `${assertion.wording}\n${scope}`))
  const register_attempt: Foresee<"register_attempt"> = ({ body }) => {
    const { experimentId, repository, argv, configuration, intendedDeviation = "" } = body
    const execution = { commit: repository.commit, argv, configuration }
    const room = experiments.find(experimentId)?.roomId ?? null
    return foreseenOf(similar.tried(room, `${executionText(execution)}\n${intendedDeviation}`, execution))
  }
  return { propose_experiment, publish_hypothesis, register_attempt }
}
