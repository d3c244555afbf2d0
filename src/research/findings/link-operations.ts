/** The behaviour that links a finding to an experiment. */
import { present } from "../../contract/present.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { Experiments } from "../experiments/experiments.ts"
import { experimentSubject } from "../experiments/operations.ts"
import { type Evidence, attributionOf } from "../evidence/evidence.ts"
import type { Records } from "../records/records.ts"
import type { FindingLinks } from "./finding-links.ts"

export function findingLinkOperations(experiments: Experiments, records: Records, findingLinks: FindingLinks, evidence: Evidence) {
  const link_experiment_finding = behaviour("link_experiment_finding", {
    subject: ({ body }) => experimentSubject(experiments, body.experimentId),
    admit({ actor, body }) {
      const repeated = findingLinks.repeated(actor.userId, body)
      if (repeated !== undefined)
        throw new Refusal("link_exists", "You already related this finding to this experiment with the same verdicts.", {
          current: { ...repeated, kind: "finding_link", experimentId: body.experimentId, findingVersionId: body.findingVersionId },
        })
    },
    write(call, subject, change) {
      const { actor, body } = call
      const { roomId, experiment } = subject
      const { experimentId, findingVersionId, attemptId, towardHypothesis, towardQuestion, client } = body
      const linkId = change.newId()
      findingLinks.insert({ ...body, ...madeBy(call, subject, change), linkId })
      const verdicts = evidence
        .linked(linkId, findingVersionId, towardHypothesis, attributionOf(actor, change.at))
        .map(({ roomId: of, ...moved }) => ({ ...moved, ...fromOtherRoom(of, roomId) }))
      const { label, wording, roomId: origin } = present(records.summary(findingVersionId))
      const card = {
        linkId,
        experimentId,
        experimentLabel: experiment.label,
        versionId: findingVersionId,
        kind: "finding",
        label,
        ...fromOtherRoom(origin, roomId),
        wording,
        attemptId: attemptId ?? null,
        towardHypothesis,
        towardQuestion,
        ...(client === undefined ? {} : { client }),
      }
      return {
        target: { id: linkId, label: null },
        result: { linkId, label: null, verdicts },
        entry: { standingOf: findingVersionId, card },
      }
    },
  })

  return { link_experiment_finding }
}
