/** The behaviours that publish findings and cited claims, and link findings to experiments; and the domain. */
import type { BodyOf } from "../../contract/operations/index.ts"
import { present } from "../../contract/typed.ts"
import { Refusal } from "../../contract/refusals.ts"
import { behaviour, type ExtrasOf, madeBy } from "../../ledger/journal/behaviour.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import { threadSubject, type Threads } from "../../threads/threads.ts"
import type { Attempts } from "../attempts/attempts.ts"
import type { Experiments } from "../experiments/experiments.ts"
import { experimentSubject } from "../experiments/operations.ts"
import type { Plans } from "../experiments/plans.ts"
import { type ConceptIndex, undeclaredConcepts, arxivIdOf, publishRecord } from "../records/publish.ts"
import { type Evidence as EvidenceModel, type Reference, attributionOf, type Evidence } from "../evidence/evidence.ts"
import type { Records } from "../records/records.ts"
import type { Effects } from "../measurements/effects.ts"
import type { MovedEffects } from "../measurements/moved-effects.ts"
import { allOf } from "../measurements/working-out.ts"
import { findingsInBrief } from "./brief.ts"
import { type FindingLinks, findingLinks } from "./finding-links.ts"
import { type Findings, doubts, findings } from "./findings.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Materials } from "../materials/materials.ts"
import { writeJson } from "../../contract/json.ts"
import { type ForExport, jsonLines, linesOf, linkIdOf, PAGE, paged, type Parts } from "../export/parts.ts"

export interface Tables {
  readonly threads: Threads
  readonly records: Records
  readonly concepts: ConceptIndex
  readonly plans: Plans
  readonly attempts: Pick<Attempts, "find">
  readonly experiments: Experiments
  readonly findings: Findings
  readonly findingLinks: FindingLinks
  readonly evidence: EvidenceModel
  readonly effects: Effects
  readonly movedEffects: MovedEffects
  readonly extras: { readonly publish_finding: ExtrasOf<"publish_finding"> }
}

type Finding = BodyOf<"publish_finding">

/** Returns the papers that a finding names as evidence or provenance, without duplicates whatever the spelling. */
function papersOf({ evidence, provenance }: Finding): string[] {
  const quoted = evidence.flatMap((entry) => (entry.kind === "paper" ? [entry.arxivId] : []))
  return [...new Set([...quoted, ...provenance.papers.map((paper) => arxivIdOf(paper) ?? paper)])]
}

function publicationOperations(tables: Tables) {
  const {
    threads,
    records,
    concepts: index,
    plans,
    attempts,
    findings,
    effects,
    movedEffects,
    evidence: model,
  } = tables
  const { experiments, findingLinks } = tables

  /** Returns the premises of the finding's plan, and of the plans of the attempts it names. */
  function planned({ execution }: Finding["provenance"]): Reference[] {
    if (execution === undefined) return []
    const { planId, attemptIds, baselineAttemptIds } = execution
    const planIds = new Set([
      planId,
      ...[...attemptIds, ...baselineAttemptIds].map((attemptId) => attempts.find(attemptId)?.planId),
    ])
    const premises = [...planIds].flatMap((id) => (id ? (plans.foundation(id)?.premises ?? []) : []))
    return premises.map((premise) => ({ part: "plan", ...premise }))
  }

  /** Returns what a finding rests on: its references, the records among its evidence, and the premises of its plans. */
  function restsOn({ references, evidence, provenance }: Finding): Reference[] {
    return [
      ...references.map((reference) => ({ part: "reference" as const, ...reference })),
      ...evidence.flatMap((entry) =>
        entry.kind === "record"
          ? [{ part: "evidence" as const, versionId: entry.versionId, explanation: entry.explanation }]
          : [],
      ),
      ...planned(provenance),
    ]
  }

  const publish_finding = behaviour("publish_finding", {
    ...tables.extras.publish_finding,
    readExtras: ({ body, targetId }) => (body.effects?.length ? { effects: effects.forReceipt(targetId) } : {}),
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    references: ({ body }) => [
      ...undeclaredConcepts(index, body),
      ...(body.effects?.length ? effects.faults(body.effects, body.provenance.execution) : []),
    ],
    admit({ body: { effects: declared = [], provenance } }) {
      const { execution } = provenance
      if (declared.length === 0 || execution === undefined) return
      const repeats = declared.flatMap(({ repeats: of }) => (of === undefined ? [] : [of.versionId]))
      const values = () => effects.amountOf(declared, execution)
      movedEffects.mustLimitEffectsOfSealed(
        { attemptIds: allOf(execution), repeats, effects: declared.length, values },
        "/effects",
      )
    },
    write(call, subject, change) {
      const { body } = call
      const { outcome, provenance } = body
      const { attemptIds = [], baselineAttemptIds = [] } = provenance.execution ?? {}
      const papers = papersOf(body)
      const execution = { attemptIds, baselineAttemptIds }
      const measured = body.effects?.length ? effects.prepare(body.effects, execution) : []
      const sharedVoice = model.voiceOf(attemptIds, baselineAttemptIds, outcome, measured)
      const published = publishRecord(
        { records, evidence: model },
        call,
        subject,
        change,
        restsOn(body),
        papers.map(arxivIdOf).filter((id) => id !== undefined),
        { voiceId: sharedVoice, attemptIds },
      )
      const by = attributionOf(call.actor, change.at)
      const { versionId } = published.result
      const voiceId = sharedVoice ?? versionId
      findings.insert({ ...body, execution: provenance.execution, versionId, voiceId, papers: papers.length })
      model.restsOnAttempts(versionId, [...attemptIds, ...baselineAttemptIds], voiceId, by)
      if (measured.length > 0) effects.insert(versionId, measured)
      const reproducing = new Map<string, string>()
      attemptIds.forEach((attemptId, position) => {
        const reproduced = attempts.find(attemptId)?.reproduces
        if (reproduced === undefined) return
        reproducing.set(attemptId, reproduced)
        model.reported(reproduced, versionId, attemptId, position, by)
      })
      const repeated = measured.length > 0 ? movedEffects.ofFinding(versionId) : []
      for (const count of repeated) model.repeated(count, versionId, reproducing, by)
      return published
    },
  })

  const publish_cited_claim = behaviour("publish_cited_claim", {
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    references: ({ body }) => undeclaredConcepts(index, body),
    write(call, subject, change) {
      const { paper, references } = call.body
      return publishRecord(
        { records, evidence: model },
        call,
        subject,
        change,
        references.map((reference) => ({ part: "reference" as const, ...reference })),
        [paper.arxivId],
      )
    },
  })

  const link_experiment_finding = behaviour("link_experiment_finding", {
    subject: ({ body }) => experimentSubject(experiments, body.experimentId),
    admit({ actor, body }) {
      const repeated = findingLinks.repeated(actor.userId, body)
      if (repeated !== undefined)
        throw new Refusal(
          "link_exists",
          "You already related this finding to this experiment with the same verdicts.",
          {
            current: {
              ...repeated,
              kind: "finding_link",
              experimentId: body.experimentId,
              findingVersionId: body.findingVersionId,
            },
          },
        )
    },
    write(call, subject, change) {
      const { actor, body } = call
      const { roomId, experiment } = subject
      const { experimentId, findingVersionId, attemptId, towardHypothesis, towardQuestion, client } = body
      const linkId = change.newId()
      findingLinks.insert({ ...body, ...madeBy(call, subject, change), linkId })
      const verdicts = model
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

  return { publish_finding, publish_cited_claim, link_experiment_finding }
}

export interface Earlier {
  readonly evidence: Evidence
  readonly materials: Materials
  readonly plans: Plans
}

function tables({ db, evidence, materials, plans }: Ground & Earlier) {
  const known = findings(db, materials)
  return { findings: known, doubts: doubts({ evidence, plans, findings: known }), findingLinks: findingLinks(db) }
}

/** The export of a Room has the links from findings to experiments, and the effects of findings. */
function exportedFindings({
  records,
  effects,
  findingLinks,
  record: { roomId, atHome },
}: ForExport & Pick<Tables, "records" | "effects" | "findingLinks">) {
  const page = (after: string | undefined) => records.ofKind("finding", { roomId }, after, PAGE)
  function* effectLines(): Generator<string> {
    for (const { versionId, label } of paged(undefined, page, ({ versionId }) => versionId))
      for (const [position, effect] of effects.of(versionId).entries())
        yield writeJson({ versionId, finding: label, position, ...effect })
  }
  const links = (after: string | undefined) => findingLinks.ofRoom(roomId, after, PAGE)
  return {
    findingLinks: {
      *files() {
        yield jsonLines(
          "finding-links.jsonl",
          "Findings on experiments",
          "The links from findings to experiments, with verdicts, replies and reviewers.",
          linesOf(paged(undefined, links, linkIdOf)).map(atHome),
        )
      },
      views: { effects: effectLines },
    },
  } satisfies Partial<Parts>
}

export const domain = {
  tables: [tables],
  operations: [publicationOperations],
  brief: [findingsInBrief],
  exported: [exportedFindings],
} satisfies Domain
