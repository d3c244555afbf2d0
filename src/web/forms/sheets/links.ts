/** The forms for links to records: corrections, disputes, reviews, verdicts and their withdrawal. */
import { reviewerDid } from "../../../contract/nouns/reviews.ts"
import { ANOTHER, experimentOf, type Sheets, why } from "./sheet.ts"

const replacement = {
  label: "The record that replaces it",
  hint: ANOTHER,
  missing: "Choose the record that replaces it.",
} as const

/** Prompts for a finding's verdicts at any place of a form. @param hint the hint beside an explanation */
export const verdictPrompts = <const P extends string>(at: P, hint?: string) => {
  const explained = hint === undefined ? {} : { hint }
  return {
    [`${at}/towardQuestion`]: { label: "What it says about the question", line: true },
    [`${at}/towardQuestion/verdict`]: {
      label: "The finding",
      missing: "Say whether it answers the question.",
      ...(hint === undefined ? {} : { hint: "Needed if you give a verdict on a hypothesis." }),
      words: { answers: "answers it", partly_answers: "answers part of it", does_not_answer: "does not answer it" },
    },
    [`${at}/towardQuestion/explanation`]: {
      label: "How so?",
      missing: "Say how it bears on the question.",
      ...explained,
    },
    [`${at}/towardHypothesis`]: { label: "What it says about hypotheses", row: "hypothesis", rows: 1, line: true },
    [`${at}/towardHypothesis/*/versionId`]: { label: "Hypothesis", missing: "Choose hypothesis {n}." },
    [`${at}/towardHypothesis/*/verdict`]: {
      label: "The finding",
      missing: "Say what it means for hypothesis {n}.",
      words: { supports: "supports it", contradicts: "contradicts it", inconclusive: "leaves it open" },
    },
    [`${at}/towardHypothesis/*/part`]: { label: "For which part?" },
    [`${at}/towardHypothesis/*/explanation`]: {
      label: "How so?",
      missing: "Say how it bears on hypothesis {n}.",
      ...explained,
    },
  } as const
}

export const linkSheets = {
  assert_correction: {
    heading: "Correct it",
    lead: "The record stays as it is. Readers see your correction beside it.",
    send: "Publish the correction",
    first: ["/correction", "/explanation"],
    folds: [{ heading: "A correct record", places: ["/replacementVersionId"] }],
    kept: ["/targetVersionId"],
    prompts: {
      "/correction": { label: "What should it say?", missing: "Say what it should say.", tall: 2 },
      "/explanation": why("What is wrong with it?", "Say why it needs correcting."),
      "/changes": {
        label: "Does the correction change its meaning?",
        hint: "If left empty, yes. A correction of the wording alone puts nothing in doubt.",
        words: { meaning: "yes", wording: "no, only its wording" },
      },
      "/replacementVersionId": replacement,
    },
  },
  assert_supersession: {
    heading: "Say what supersedes it",
    lead: "The record stays readable. Readers are pointed to the one that replaces it.",
    send: "Say that it is superseded",
    first: ["/replacementVersionId", "/explanation"],
    kept: ["/targetVersionId"],
    prompts: { "/replacementVersionId": replacement, "/explanation": why("Why?", "Say why that one replaces it.") },
  },
  assert_dispute: {
    heading: "Dispute it",
    lead: "Say what speaks against it. The record stays, marked as disputed, and its author sees your dispute.",
    send: "Dispute it",
    first: ["/explanation"],
    folds: [
      { heading: "Only a part of it", places: ["/part"] },
      { heading: "Records that speak against it", places: ["/evidence"] },
    ],
    kept: ["/targetVersionId"],
    prompts: {
      "/explanation": why("What speaks against it?", "Say what speaks against it."),
      "/part": {
        label: "Which words of its wording?",
        hint: "Exactly as written there. If left empty, you dispute all of it.",
      },
      "/evidence": { label: "Records that speak against it" },
    },
  },
  assert_retraction: {
    heading: "Retract it",
    lead: "It stays readable and is marked as retracted for good. Records that rest on it come into doubt.",
    send: "Retract it",
    first: ["/explanation"],
    kept: ["/targetVersionId"],
    prompts: { "/explanation": why("Why?", "Say why you retract it.") },
  },
  submit_review: {
    heading: "Review it",
    lead:
      "Say whether you agree after checking it. Readers see your review beside it, but it is not evidence. " +
      "Your newest review counts.",
    send: "Publish the review",
    first: ["/verdict", "/checked", "/explanation"],
    kept: ["/target"],
    prompts: {
      "/target": { label: "What you review" },
      "/verdict": {
        label: "Do you agree?",
        missing: "Say whether you agree.",
        words: { agrees: "I agree", agrees_with_reservations: "I agree, with reservations", objects: "I object" },
      },
      "/checked": {
        label: "What did you do?",
        words: reviewerDid,
      },
      "/explanation": why("Why?", "Say why you agree or object."),
    },
  },
  link_experiment_finding: {
    heading: "Say what a finding answers",
    lead: "What it says about the experiment's question and about each hypothesis. You can withdraw it later.",
    send: "Publish the verdict",
    first: ["/experimentId", "/findingVersionId", "/towardHypothesis", "/towardQuestion"],
    folds: [{ heading: "The attempt it comes from", places: ["/attemptId"] }],
    kept: ["/experimentId", "/findingVersionId"],
    initial: (visit, draft) => {
      const experiment = experimentOf(visit, draft)
      return experiment === null
        ? {}
        : { towardHypothesis: experiment.hypotheses.map(({ versionId }) => ({ versionId })) }
    },
    prompts: {
      "/experimentId": { label: "Experiment", missing: "Choose the experiment." },
      "/findingVersionId": { label: "Finding", missing: "Choose the finding." },
      ...verdictPrompts(""),
      "/attemptId": { label: "Attempt it comes from" },
    },
  },
  withdraw_link: {
    heading: "Withdraw it",
    lead: "It stays readable, marked as withdrawn, and no longer counts. You can say it again.",
    send: "Withdraw it",
    first: ["/explanation"],
    kept: ["/linkId"],
    prompts: {
      "/linkId": { label: "What is withdrawn", missing: "Choose what is withdrawn." },
      "/explanation": why("Why?", "Say why you withdraw it."),
    },
  },
} satisfies Sheets
