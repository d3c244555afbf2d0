/** The forms for hypotheses, findings and cited claims. */
import { orNull, type Visit } from "../../visit.ts"
import { counted } from "../../words.ts"
import { pictureFold, picturePrompts, SAYS, severalIn, type Sheets, threadPrompt } from "./sheet.ts"
import { verdictPrompts } from "./links.ts"

// Fills in the form of a finding from its experiment and attempts.

const EXECUTION = "/provenance/execution"
/** How many contrasts are proposed. Others can be added. */
const MOST = 3

/** Whether a group's name is one that people give to the baseline. */
const isBaseline = (value: unknown): boolean =>
  ["baseline", "base", "control", "none", "plain", "default"].includes(String(value).toLowerCase())

/**
 * Compares the groups that these attempts measured with the baseline, by the first metric that has one. Also returns
 * the baseline's attempts.
 */
function contrasts(visit: Visit, experimentId: string, attemptIds: readonly string[]) {
  const { metrics } = visit.ask("experiment_measurements", { experimentId })
  for (const { metric, split, dimensions } of metrics) {
    const found = dimensions.find(({ values }) => values.length > 1 && values.some(isBaseline))
    if (found === undefined) continue
    const { dimension } = found
    const over = dimensions.find((each) => each.dimension === "seed")?.dimension
    const { groups } = visit.ask(
      "experiment_measurements",
      { experimentId },
      { metric, split: split ?? undefined, by: dimension },
    )
    const isNamed = ({ attempts }: (typeof groups)[number]) =>
      attempts.some(({ attemptId }) => attemptIds.includes(attemptId))
    const base = groups.find(({ key }) => isBaseline(key[dimension]))
    const others = groups.filter((group) => group !== base && isNamed(group)).slice(0, MOST)
    if (base === undefined || others.length === 0) continue
    const effects = others.map(({ key }) => ({ metric, split, of: key, against: base.key, over }))
    return { effects, baselineAttemptIds: isNamed(base) ? [] : base.attempts.map(({ attemptId }) => attemptId) }
  }
  return null
}

/** Returns the initial values of a finding: its scope, effects and hypotheses, if its experiment is known. */
function beginFinding(visit: Visit, draft: URLSearchParams) {
  const initial = { retrospective: false }
  const experimentId = draft.get(`${EXECUTION}/experimentId`)
  const experiment = experimentId === null ? null : orNull(() => visit.ask("experiment", { experimentId }))
  if (experiment === null) return initial
  const found = orNull(() => contrasts(visit, experiment.experimentId, draft.getAll(`${EXECUTION}/attemptIds`)))
  const says = { towardHypothesis: experiment.hypotheses.map(({ versionId }) => ({ versionId })) }
  return {
    ...initial,
    scope: experiment.scope,
    ...(found && {
      effects: found.effects,
      provenance: { execution: { baselineAttemptIds: found.baselineAttemptIds } },
    }),
    ...(says.towardHypothesis.length > 0 && { says }),
  }
}

/** Describes the differences of a draft: "error of arm: shift − arm: baseline". */
const effectsIn = (draft: URLSearchParams): string =>
  [...draft]
    .filter(([name, metric]) => /^\/effects\/\d+\/metric$/.test(name) && metric !== "")
    .map(([name, metric]) => {
      const [of = "", against = "", where = ""] = ["of", "against", "where"].map(
        (part) => draft.get(name.replace(/metric$/, part))?.replaceAll("\n", ", ") ?? "",
      )
      return `${metric} of ${of} − ${against}${where === "" ? "" : ` at ${where}`}`
    })
    .join("; ")

/** Describes how many attempts a draft compares its own with: "compared with 3 attempts". */
const comparedIn = (draft: URLSearchParams): string => {
  const count = draft.getAll(`${EXECUTION}/baselineAttemptIds`).flatMap(severalIn).length
  return count === 0 ? "" : `compared with ${counted(count, "attempt")}`
}

const statementPrompts = {
  ...threadPrompt,
  "/assertion/wording": {
    label: "What do you claim?",
    hint: "One sentence that could turn out wrong.",
    missing: "Say what you claim.",
    tall: 3,
  },
  "/assertion/predicate": {
    label: "Words that say what happens",
    hint: "Such as “lowers”.",
    missing: "Say which words of the sentence say what happens.",
  },
  "/concepts": { label: "What the words mean", row: "word", line: true },
  "/concepts/*/label": { label: "Words", missing: "Say which words of the sentence are meant.", suggested: "concepts" },
  "/concepts/*/definition": { label: "What they mean here", missing: "Word {n} has no meaning yet." },
  "/assertion/roles": {
    label: "What it is about",
    hint: "Words, a number with its unit such as 0.07 nat, one of the words explained above, or a record of this Room.",
    row: "role",
    rows: 2,
    line: true,
  },
  "/assertion/roles/*/role": { label: "Role", missing: "Role {n} has no name yet.", suggested: "roles" },
  "/assertion/roles/*/value": { label: "Its content", missing: "Role {n} is still empty." },
  "/assertion/roles/*/definition": { label: "Meaning of the role", missing: "Role {n} has no meaning yet." },
  "/scope": {
    label: "Where does it hold?",
    hint: "Models, data, sizes, conditions: what it was or will be tested on.",
    missing: "Say where it should hold.",
    tall: 2,
  },
  "/references": { label: "Other records it refers to", row: "record", rows: 1 },
  "/references/*/versionId": { label: "Record", missing: "Choose the record that row {n} refers to." },
  "/references/*/purpose": {
    label: "How they are related",
    missing: "Say how record {n} is related to this one.",
    words: {
      premise: "it is a premise of this",
      supports: "this supports it",
      contradicts: "this contradicts it",
      extends: "this extends it",
      related: "it is related",
      derived_from: "this was derived from it",
      refines: "this refines it",
    },
  },
  "/references/*/explanation": { label: "How", missing: "Say how record {n} bears on this." },
} as const

export const premisePrompts = {
  "/premises": { label: "Premises", row: "premise", rows: 1 },
  "/premises/*/versionId": { label: "Record it rests on", missing: "Choose the record for premise {n}." },
  "/premises/*/explanation": { label: "Why it is needed", missing: "Say why premise {n} is needed." },
} as const

export const statementSheets = {
  publish_hypothesis: {
    heading: "Write down a hypothesis",
    lead:
      "A prediction that others can test. It cannot be changed once it is published; " +
      "it can be corrected or superseded.",
    send: "Publish the hypothesis",
    first: ["/assertion", "/scope", "/concepts"],
    folds: [
      { heading: "Premises it rests on", places: ["/premises"] },
      { heading: "Other records it refers to", places: ["/references"] },
    ],
    kept: ["/roomId", "/threadId"],
    prompts: { ...statementPrompts, ...premisePrompts },
  },
  publish_finding: {
    heading: "Write down a finding",
    lead:
      "What you found, how it came out, and what shows it. Negative and inconclusive results count as much as " +
      "positive ones.",
    send: "Publish the finding",
    first: ["/assertion", "/outcome", "/says", "/scope", "/concepts", "/provenance/execution/attemptIds"],
    folds: [
      { heading: "Numbers it rests on", places: ["/effects"], summary: effectsIn },
      { heading: "What shows it: outputs, failures, materials, papers", places: ["/evidence"] },
      { heading: "Compared with, and other sources", places: ["/provenance", "/retrospective"], summary: comparedIn },
      { heading: "Materials used", places: ["/materials"] },
      { heading: "Other records it refers to", places: ["/references"] },
      { heading: "Its limits", places: ["/limitations"] },
      pictureFold,
    ],
    kept: ["/roomId", "/threadId"],
    initial: beginFinding,
    prompts: {
      ...statementPrompts,
      ...verdictPrompts(SAYS, "If left empty, its wording."),
      "/assertion/wording": {
        ...statementPrompts["/assertion/wording"],
        label: "What did you find?",
        missing: "Say what you found.",
      },
      "/outcome": {
        label: "How did it come out?",
        missing: "Say how it came out.",
        words: {
          positive: "positive: it was seen",
          negative: "negative: it was not",
          inconclusive: "inconclusive: the data do not say",
        },
      },
      "/provenance/execution": { label: "The work it comes from" },
      "/provenance/execution/attemptIds": {
        label: "Attempts it comes from",
        missing: "Choose the attempts it comes from.",
      },
      "/provenance/execution/experimentId": {
        label: "Experiment",
        hint: "If left empty, the experiment of the attempts you chose.",
        missing: "Choose the experiment that the attempts belong to.",
      },
      "/provenance/execution/planId": { label: "Plan it followed" },
      "/provenance/execution/baselineAttemptIds": { label: "Attempts it is compared with" },
      "/provenance": { label: "Sources" },
      "/provenance/papers": { label: "Papers it draws on" },
      "/retrospective": {
        label: "Did you plan to look for it?",
        words: { false: "yes, it was planned", true: "no, it was noticed in hindsight" },
        missing: "Say whether you planned to look for it.",
      },
      "/evidence": { label: "What shows it", row: "piece", rows: 1 },
      "/evidence/*/kind": {
        label: "Kind",
        missing: "Say what kind of evidence piece {n} is.",
        words: {
          attempt_output: "an output of an attempt",
          attempt_outcome: "how an attempt ended",
          attempt_log: "lines of an attempt's log",
          material: "a material",
          record: "another record",
          paper: "a paper",
        },
      },
      "/evidence/*/attemptId": { label: "Attempt", missing: "Choose the attempt of piece {n}." },
      "/evidence/*/outputLabel": { label: "Output", missing: "Choose the output that piece {n} cites." },
      "/evidence/*/digest": { label: "Its digest", missing: "Choose the output that piece {n} cites." },
      "/evidence/*/lines": {
        label: "Lines of its log",
        hint: "One, such as 120, or the first and the last, such as 120–135.",
        missing: "Say which lines piece {n} cites.",
      },
      "/evidence/*/materialId": { label: "Material", missing: "Choose the material of piece {n}." },
      "/evidence/*/versionId": { label: "Record", missing: "Choose the record of piece {n}." },
      "/evidence/*/arxivId": {
        label: "Paper",
        hint: "Its address or number at arXiv.",
        missing: "Say which paper piece {n} quotes.",
        tall: 1,
      },
      "/evidence/*/explanation": { label: "What it shows", missing: "Say what piece {n} shows." },
      "/evidence/*/locator": { label: "Where in the paper", line: true },
      "/evidence/*/quote": { label: "What the paper says", missing: "Quote what the paper of piece {n} says." },
      "/effects": {
        label: "Differences it rests on",
        hint: "Computed here from the values that the attempts reported.",
        row: "difference",
        rows: 1,
        line: true,
      },
      "/effects/*/experimentId": { label: "Experiment", missing: "Choose the experiment of difference {n}." },
      "/effects/*/metric": { label: "Metric", missing: "Say which metric difference {n} is of." },
      "/effects/*/split": { label: "Split", hint: "Such as train or held-out." },
      "/effects/*/of": {
        label: "Group",
        hint: "Such as arm: shift, one per line.",
        missing: "Say which group difference {n} is of.",
      },
      "/effects/*/against": {
        label: "Compared with",
        hint: "Such as arm: baseline.",
        missing: "Say which group difference {n} is compared with.",
      },
      "/effects/*/over": { label: "Paired over", hint: "Such as seed." },
      "/effects/*/where": { label: "Where", hint: "Such as labels: 400." },
      "/effects/*/pool": { label: "Settings to merge", hint: "Attempts that differ only in these count together." },
      "/effects/*/within": {
        label: "Claimed to be smaller than",
        hint: "For a finding that the difference is too small to matter.",
      },
      "/effects/*/repeats": { label: "The difference of another finding that it repeats", line: true },
      "/effects/*/repeats/versionId": { label: "Finding", missing: "Choose the finding that difference {n} repeats." },
      "/effects/*/repeats/effect": {
        label: "Which effect",
        missing: "Say which difference of that finding difference {n} repeats.",
      },
      "/materials": { label: "Materials used", row: "material", rows: 1 },
      "/materials/*/materialId": { label: "Material", missing: "Choose material {n}." },
      "/materials/*/purpose": { label: "What it was used for", missing: "Say what material {n} was used for." },
      "/limitations": { label: "What it does not show" },
      ...picturePrompts,
    },
  },
  publish_cited_claim: {
    heading: "Cite a claim of a paper",
    lead: "What a paper says, in its own words and in yours, and where it says so.",
    send: "Publish the claim",
    first: ["/paper/arxivId", "/quote", "/locator", "/assertion", "/scope", "/concepts"],
    folds: [
      { heading: "Other records it refers to", places: ["/references"] },
      { heading: "An exact version of the paper", places: ["/paper/version"] },
    ],
    kept: ["/roomId", "/threadId"],
    prompts: {
      ...statementPrompts,
      "/assertion/wording": {
        ...statementPrompts["/assertion/wording"],
        label: "What does it claim, in your words?",
        missing: "Say what the paper claims.",
      },
      "/paper": { label: "Paper" },
      "/paper/arxivId": {
        label: "Which paper?",
        hint: "Its address or number at arXiv.",
        missing: "Say which paper it is.",
        tall: 1,
      },
      "/paper/version": { label: "Version" },
      "/quote": { label: "What does it say, word for word?", missing: "Quote what the paper says.", tall: 2 },
      "/locator": { label: "Where in the paper?", line: true },
      "/locator/section": { label: "Section" },
      "/locator/page": { label: "Page" },
      "/locator/figure": { label: "Figure or table" },
    },
  },
} satisfies Sheets
