/** Publishing findings and cited claims. */
import type { Evidence } from "../../contract/operations/publications.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Issue } from "../../contract/refusals.ts"
import { behaviour } from "../../ledger/behaviour.ts"
import { threadSubject } from "../../threads/operations.ts"
import type { Threads } from "../../threads/threads.ts"
import type { Attempts } from "../attempts/attempts.ts"
import type { Experiments } from "../experiments/experiments.ts"
import type { Plans } from "../experiments/plans.ts"
import type { Materials } from "../materials/materials.ts"
import type { ConceptIndex } from "../records/concepts.ts"
import { unknownReferences } from "../records/exact-references.ts"
import { arxivIdOf } from "../records/papers.ts"
import { publishRecord } from "../records/publish.ts"
import type { Records, Reference } from "../records/records.ts"
import type { Findings } from "./findings.ts"

interface Parts {
  readonly threads: Threads
  readonly records: Records
  readonly concepts: ConceptIndex
  readonly experiments: Experiments
  readonly plans: Plans
  readonly attempts: Attempts
  readonly materials: Materials
  readonly findings: Findings
}

type Finding = BodyOf<"publish_finding">

/** The papers a finding names, as evidence or as where it comes from, each once however it is written. */
function papersOf({ evidence, provenance }: Finding): string[] {
  const quoted = evidence.flatMap((entry) => (entry.kind === "paper" ? [entry.arxivId] : []))
  return [...new Set([...quoted, ...provenance.papers.map((paper) => arxivIdOf(paper) ?? paper)])]
}

export function publicationOperations({ threads, records, concepts: index, experiments, plans, attempts, materials, findings }: Parts) {
  const unknown = (path: string, what: string): Issue[] => [{ path, message: `is no ${what}` }]

  /** The references of one evidence entry to what does not exist. */
  function unknownEvidence(entry: Evidence, position: number): Issue[] {
    const at = `/evidence/${position}`
    if ("attemptId" in entry && attempts.find(entry.attemptId) === undefined) return unknown(`${at}/attemptId`, "attempt of this service")
    if (entry.kind === "record" && !records.exists(entry.versionId)) return unknown(`${at}/versionId`, "record of this service")
    if (entry.kind === "material" && materials.place(entry.materialId) === undefined)
      return unknown(`${at}/materialId`, "material of this service")
    return []
  }

  /** The references of an execution to what does not exist, or not in its experiment. */
  function unknownExecution({ execution }: Finding["provenance"]): Issue[] {
    if (execution === undefined) return []
    const { experimentId, planId, attemptIds, baselineAttemptIds } = execution
    const at = "/provenance/execution"
    const known = experiments.find(experimentId) !== undefined
    // Where the experiment itself is unknown, an attempt of another one is not at fault.
    const fits = (id: string) => (known ? attempts.find(id)?.experimentId === experimentId : attempts.find(id) !== undefined)
    return [
      ...(known ? [] : unknown(`${at}/experimentId`, "experiment of this service")),
      ...(planId === undefined || plans.contentOf(planId, experimentId) !== undefined
        ? []
        : unknown(`${at}/planId`, "plan of this experiment")),
      ...attemptIds.flatMap((id, position) =>
        fits(id) ? [] : unknown(`${at}/attemptIds/${position}`, known ? "attempt of this experiment" : "attempt of this service"),
      ),
      ...baselineAttemptIds.flatMap((id, position) =>
        attempts.find(id) === undefined ? unknown(`${at}/baselineAttemptIds/${position}`, "attempt of this service") : [],
      ),
    ]
  }

  /** What a finding rests on: its references, the records among its evidence, and what its plan rests on. */
  function restsOn({ references, evidence, provenance }: Finding): Reference[] {
    const { execution } = provenance
    const plan = execution?.planId === undefined ? undefined : plans.contentOf(execution.planId, execution.experimentId)
    return [
      ...references.map((reference) => ({ part: "reference" as const, ...reference })),
      ...evidence.flatMap((entry) =>
        entry.kind === "record" ? [{ part: "evidence" as const, versionId: entry.versionId, explanation: entry.explanation }] : [],
      ),
      ...(plan?.premises ?? []).map((premise) => ({ part: "plan" as const, ...premise })),
      ...(plan?.hypotheses ?? []).map((versionId) => ({ part: "plan" as const, versionId, explanation: "The plan tests it." })),
    ]
  }

  const publish_finding = behaviour("publish_finding", {
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    references: ({ body }) => [
      ...unknownReferences({ records, concepts: index }, body),
      ...unknownExecution(body.provenance),
      ...body.evidence.flatMap(unknownEvidence),
      ...materials.unknown(body.materials, "/materials"),
    ],
    write(call, where, change) {
      const { body } = call
      const named = papersOf(body)
      const published = publishRecord(
        records,
        call,
        where,
        change,
        restsOn(body),
        named.map(arxivIdOf).filter((id) => id !== undefined),
      )
      const { versionId } = published.result
      const { outcome, retrospective, provenance, evidence } = body
      findings.insert({
        versionId,
        outcome,
        retrospective,
        papers: named.length,
        execution: provenance.execution,
        evidence,
        materials: body.materials,
      })
      return { ...published, warnings: [...records.restsOnFallen(versionId), ...findings.read(versionId).warnings] }
    },
  })

  const publish_cited_claim = behaviour("publish_cited_claim", {
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    references: ({ body }) => unknownReferences({ records, concepts: index }, body),
    write(call, where, change) {
      const { paper, references } = call.body
      const published = publishRecord(
        records,
        call,
        where,
        change,
        references.map((reference) => ({ part: "reference" as const, ...reference })),
        [paper.arxivId],
      )
      return { ...published, warnings: records.restsOnFallen(published.result.versionId) }
    },
  })

  return { publish_finding, publish_cited_claim }
}
