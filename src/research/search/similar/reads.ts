/** The read of what is similar, and what a write is told of it. */
import type { BodyOf, OperationName } from "../../../contract/operations/index.ts"
import { Refusal } from "../../../contract/refusals.ts"
import type { AlreadyTried } from "../../../contract/similar.ts"
import type { Call } from "../../../ledger/behaviour.ts"
import type { Readers } from "../../../ledger/reading.ts"
import type { Rooms } from "../../../rooms/rooms.ts"
import type { Experiments } from "../../experiments/experiments.ts"
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

type Told<N extends OperationName> = (call: Call<BodyOf<N>>) => AlreadyTried

/** What each operation is told of what was already tried: looked up before it is admitted, from what stands there then. */
export function foreseers(similar: Similar, experiments: Experiments) {
  const near = (roomId: string, text: string) => ({ similar: similar.near(roomId, text), sameExecution: [] })
  const propose_experiment: Told<"propose_experiment"> = ({ body: { roomId, question, scope } }) => near(roomId, `${question}\n${scope}`)
  const publish_hypothesis: Told<"publish_hypothesis"> = ({ body: { roomId, assertion, scope } }) =>
    near(roomId, `${assertion.wording}\n${scope}`)
  const register_attempt: Told<"register_attempt"> = ({ body }) => {
    const { experimentId, repository, argv, configuration, intendedDeviation = "" } = body
    const execution = { commit: repository.commit, argv, configuration }
    const room = experiments.find(experimentId)?.roomId
    const text = `${executionText(execution)}\n${intendedDeviation}`
    return { similar: room === undefined ? [] : similar.near(room, text), sameExecution: similar.sameExecution(execution, room ?? null) }
  }
  return { propose_experiment, publish_hypothesis, register_attempt }
}
