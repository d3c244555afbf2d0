/** Relating a finding to an experiment. */
import type { Issue } from "../../contract/refusals.ts"
import { behaviour } from "../../ledger/behaviour.ts"
import type { Attempts } from "../attempts/attempts.ts"
import type { Experiments } from "../experiments/experiments.ts"
import { experimentSubject } from "../experiments/operations.ts"
import type { Records } from "../records/records.ts"
import type { FindingLinks } from "./finding-links.ts"

interface Parts {
  readonly experiments: Experiments
  readonly attempts: Attempts
  readonly records: Records
  readonly findingLinks: FindingLinks
}

export function findingLinkOperations({ experiments, attempts, records, findingLinks }: Parts) {
  const isKind = (versionId: string, kind: string) => records.summary(versionId)?.kind === kind

  const link_experiment_finding = behaviour("link_experiment_finding", {
    subject: ({ body }) => experimentSubject(experiments, body.experimentId),
    references({ body }) {
      const { experimentId, findingVersionId, attemptId, towardHypothesis } = body
      const issues: Issue[] = []
      if (!isKind(findingVersionId, "finding")) issues.push({ path: "/findingVersionId", message: "is no finding of this service" })
      if (attemptId !== undefined && attempts.find(attemptId)?.experimentId !== experimentId)
        issues.push({ path: "/attemptId", message: "is no attempt of this experiment" })
      towardHypothesis.forEach(({ versionId }, index) => {
        if (!isKind(versionId, "hypothesis"))
          issues.push({ path: `/towardHypothesis/${index}/versionId`, message: "is no hypothesis of this service" })
      })
      return issues
    },
    write({ actor, body }, { roomId, threadId, experiment }, change) {
      const { experimentId, findingVersionId, attemptId, towardHypothesis, towardQuestion, client } = body
      const linkId = change.newId()
      findingLinks.insert({
        linkId,
        roomId,
        threadId,
        entryId: change.entryId,
        experimentId,
        findingVersionId,
        attemptId,
        authorId: actor.userId,
        at: change.at,
        towardQuestion,
        towardHypothesis,
      })
      const { label, wording } = records.summary(findingVersionId) as { label: string; wording: string }
      const card = {
        linkId,
        experimentId,
        experimentLabel: experiment.label,
        versionId: findingVersionId,
        kind: "finding",
        label,
        wording,
        attemptId: attemptId ?? null,
        towardHypothesis,
        towardQuestion,
        ...(client === undefined ? {} : { client }),
      }
      return { target: { id: linkId, label: null }, result: { linkId, label: null }, entry: { standingOf: findingVersionId, card } }
    },
  })

  return { link_experiment_finding }
}
