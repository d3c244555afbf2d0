/** Hypotheses, findings and claims as the story's people write them. */
import { present } from "../contract/present.ts"
import type { InputOf } from "../contract/operations/index.ts"
import type { Attempt, Experiment, Lab, Member } from "./lab.ts"

type Hypothesis = InputOf<"publish_hypothesis">
type Role = Hypothesis["assertion"]["roles"][number]
type Reference = Hypothesis["references"][number]
type Finding = InputOf<"publish_finding">
type Verdict = "supports" | "contradicts" | "inconclusive"

/** A published record, as later parts of the story name it. */
export interface PublishedRecord {
  readonly versionId: string
  readonly label: string
  readonly entryId: string
}

export const scope =
  "The toy of the shared repository: one policy over eight ways, one set of problems, the default settings where none is named."

/** What the Room means by its words, declared by each record that uses them. */
const meanings = {
  raises: { label: "raises", definition: "Makes the mean over seeds larger on the held-out split, by at least the stated margin." },
  lowers: { label: "lowers", definition: "Makes the mean over seeds smaller on the held-out split, by at least the stated margin." },
  keeps: { label: "keeps", definition: "Leaves the mean over seeds on the held-out split where it was, within the stated margin." },
  explains: { label: "explains", definition: "Is enough to bring about the difference; nothing else is needed for it." },
  bounded_by: { label: "is bounded by", definition: "Holds nothing that the other does not hold already." },
  exceeds: { label: "goes beyond", definition: "Holds something that the other does not hold." },
  fails: { label: "fails", definition: "Ends without a result that could be compared." },
} as const
type Meaning = keyof typeof meanings

export const role = (name: string, definition: string, value: string): Role => ({ role: name, definition, value: { type: "text", value } })
export const margin = (name: string, definition: string, value: string, unit = "share of problems"): Role => ({
  role: name,
  definition,
  value: { type: "decimal", value, unit },
})
export const about = (record: PublishedRecord, purpose: Reference["purpose"], explanation: string): Reference => ({
  versionId: record.versionId,
  purpose,
  explanation,
})

interface Statement {
  readonly threadId: string
  readonly wording: string
  readonly predicate: Meaning
  readonly roles: Role[]
  readonly references?: Reference[]
  readonly concepts?: Hypothesis["concepts"]
}

const assertionOf = ({ wording, predicate, roles }: Statement) => ({
  wording,
  predicate: { type: "concept" as const, key: predicate },
  roles,
})
const conceptsOf = ({ predicate, concepts }: Statement) => ({ [predicate]: meanings[predicate], ...concepts })
const told = (receipt: { result: { versionId: string; label: string }; entry: { entryId: string } | null }): PublishedRecord => ({
  versionId: receipt.result.versionId,
  label: receipt.result.label,
  entryId: present(receipt.entry?.entryId),
})

/** Publishes a prediction. */
export async function predicts(
  lab: Lab,
  who: Member,
  said: Statement & { premises?: Hypothesis["premises"] },
  minutes = 120,
): Promise<PublishedRecord> {
  const agent = { name: who === lab.owner ? "ada-notebook" : "grace-planner", version: "2.1" }
  return told(
    await lab.narrator.does(
      who,
      "publish_hypothesis",
      {},
      {
        kind: "hypothesis",
        roomId: lab.roomId,
        threadId: said.threadId,
        assertion: assertionOf(said),
        concepts: conceptsOf(said),
        scope,
        premises: said.premises ?? [],
        references: said.references ?? [],
        client: agent,
      },
      minutes,
    ),
  )
}

/** Publishes a claim that a paper makes, with the words of its abstract. */
export async function cites(
  lab: Lab,
  who: Member,
  said: Statement & { arxivId: string; quote: string; scope: string },
): Promise<PublishedRecord> {
  return told(
    await lab.narrator.does(
      who,
      "publish_cited_claim",
      {},
      {
        kind: "cited_claim",
        roomId: lab.roomId,
        threadId: said.threadId,
        assertion: assertionOf(said),
        concepts: conceptsOf(said),
        scope: said.scope,
        paper: { arxivId: said.arxivId },
        quote: said.quote,
        locator: { section: "Abstract" },
        references: said.references ?? [],
      },
      50,
    ),
  )
}

/** Publishes what an experiment showed, and links it with its verdicts. */
export async function finds(
  lab: Lab,
  who: Member,
  said: Statement & {
    experiment: Experiment
    outcome: Finding["outcome"]
    attempts: readonly Attempt[]
    baselines?: readonly Attempt[]
    limitations: string
    toward: readonly { readonly hypothesis: PublishedRecord; readonly verdict: Verdict; readonly explanation: string }[]
    answers: { verdict: "answers" | "partly_answers" | "does_not_answer"; explanation: string }
    records?: readonly { readonly record: PublishedRecord; readonly explanation: string }[]
  },
): Promise<PublishedRecord & { linkEntryId: string; linkId: string }> {
  const { experiment, attempts, baselines = [], records = [] } = said
  const { experimentId, planId } = experiment
  const ids = (of: readonly Attempt[]) => of.map(({ attemptId }) => attemptId)
  const finding = told(
    await lab.narrator.does(
      who,
      "publish_finding",
      {},
      {
        kind: "finding",
        roomId: lab.roomId,
        threadId: said.threadId,
        assertion: assertionOf(said),
        concepts: conceptsOf(said),
        scope,
        outcome: said.outcome,
        retrospective: false,
        evidence: [
          ...attempts.map(({ attemptId, digest, diverged }) =>
            diverged === null
              ? { kind: "attempt_output" as const, attemptId, outputLabel: "metrics.json", digest, explanation: "What the run measured." }
              : { kind: "attempt_outcome" as const, attemptId, explanation: "How the run ended." },
          ),
          ...records.map(({ record, explanation }) => ({ kind: "record" as const, versionId: record.versionId, explanation })),
        ],
        provenance: { execution: { experimentId, planId, attemptIds: ids(attempts), baselineAttemptIds: ids(baselines) }, papers: [] },
        materials: [{ materialId: lab.materialId, purpose: "All runs were measured on it." }],
        references: said.references ?? [],
        limitations: said.limitations,
      },
      60,
    ),
  )
  const link = await lab.narrator.does(
    who,
    "link_experiment_finding",
    {},
    {
      experimentId,
      findingVersionId: finding.versionId,
      attemptId: present(attempts[0]?.attemptId),
      towardHypothesis: said.toward.map(({ hypothesis, verdict, explanation }) => ({
        versionId: hypothesis.versionId,
        verdict,
        explanation,
      })),
      towardQuestion: said.answers,
    },
    10,
  )
  return { ...finding, linkEntryId: present(link.entry?.entryId), linkId: link.targetId }
}
