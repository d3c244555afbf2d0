/** Objects that writes act upon, made in quantity by the service's own code; only within a house's `fill`. */
import { randomUUID } from "node:crypto"
import { digestOf } from "../../../src/contract/json.ts"
import { type House, times } from "./house.ts"

export const hypothesis = (house: House): string =>
  house.does("publish_hypothesis", { ...house.here, premises: [], references: [] }).result.versionId

/** A dispute by the member, about a record of its own. */
export const dispute = (house: House): string =>
  house.does("assert_dispute", { targetVersionId: hypothesis(house) }).result.linkId

export const proposal = (house: House): string =>
  house.does("propose_experiment", { ...house.here, hypotheses: [] }).result.experimentId

/** An experiment that the member holds; its revision is 2. */
export function taken(house: House): string {
  const experimentId = proposal(house)
  house.does("take_experiment", { experimentId })
  return experimentId
}

/** An experiment that the member holds, under a plan; its revision is 3. */
export function planned(house: House): { experimentId: string; planId: string } {
  const experimentId = taken(house)
  const { planId } = house.does("accept_plan", { experimentId, repository: house.pin, hypotheses: [] }).result
  return { experimentId, planId }
}

/** The content of a registration under a plan. */
export const registration = (house: House, { experimentId, planId }: { experimentId: string; planId: string }) => ({
  attemptId: randomUUID() as string,
  experimentId,
  planId,
  repository: house.pin,
})

/** A started attempt; its revision is 2. */
export function started(house: House, plan: { experimentId: string; planId: string }): string {
  const said = registration(house, plan)
  house.does("register_attempt", said)
  house.does("report_attempt_event", {
    attemptId: said.attemptId,
    event: "started",
    expectedRevision: 1,
    expectedStatus: "registered",
    metrics: undefined,
    outputs: undefined,
    exitCode: undefined,
  })
  return said.attemptId
}

/** An attempt that produced what findings name. */
export function succeeded(house: House, plan: { experimentId: string; planId: string }): string {
  const attemptId = started(house, plan)
  house.does("report_attempt_event", { attemptId })
  return attemptId
}

/** A reference that no material has yet. */
export const newReference = (): string => digestOf(randomUUID())

export const material = (house: House): string =>
  house.does("register_material", { ...house.here, reference: newReference() }).result.materialId

/** The content of a finding over one attempt. */
export function findingOver(house: House, experimentId: string, attemptId: string) {
  const { digest, outputLabel } = outputOfTheExample
  return {
    ...house.here,
    evidence: [
      {
        kind: "attempt_output" as const,
        attemptId,
        outputLabel,
        digest,
        explanation: "Holds the loss of all five seeds.",
      },
    ],
    provenance: { execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] },
    references: [],
  }
}

/** The outputs in the example of `report_attempt_event`. */
const outputOfTheExample = {
  outputLabel: "metrics.json",
  digest: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
} as const

export const finding = (house: House, experimentId: string, attemptId: string): string =>
  house.does("publish_finding", findingOver(house, experimentId, attemptId)).result.versionId

/** Several of something, for writes that do not use up their objects. */
export const some = <T>(make: () => T): T[] => times(50, make)

/** arXiv's ids are a year, a month, a point and five digits. */
export const arxivId = (index: number): string => `${10 + Math.floor(index / 90_000)}01.${10_000 + (index % 90_000)}`
