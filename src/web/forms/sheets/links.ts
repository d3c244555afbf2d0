/** What is said of records afterwards, and taken back, as it is asked for. */
import { ANOTHER, experimentOf, sheet, why } from "./sheet.ts"

const replacement = {
  label: "The record that stands in its place",
  hint: ANOTHER,
  missing: "Choose the record that stands in its place.",
} as const

/** What a finding says of a question and of hypotheses, wherever in a form that stands. @param hint what becomes of an explanation that is left empty */
export const verdictAsks = <const P extends string>(at: P, hint?: string) => {
  const explained = hint === undefined ? {} : { hint }
  return {
    [`${at}/towardQuestion`]: { label: "What it says about the question", line: true },
    [`${at}/towardQuestion/verdict`]: {
      label: "The finding",
      missing: "Say whether it answers the question.",
      words: { answers: "answers it", partly_answers: "answers part of it", does_not_answer: "does not answer it" },
    },
    [`${at}/towardQuestion/explanation`]: { label: "How so?", missing: "Say how it bears on the question.", ...explained },
    [`${at}/towardHypothesis`]: { label: "What it says about hypotheses", row: "hypothesis", rows: 1, line: true },
    [`${at}/towardHypothesis/*/versionId`]: { label: "Hypothesis", missing: "Choose hypothesis {n}." },
    [`${at}/towardHypothesis/*/verdict`]: {
      label: "The finding",
      missing: "Say what it means for hypothesis {n}.",
      words: { supports: "supports it", contradicts: "contradicts it", inconclusive: "leaves it open" },
    },
    [`${at}/towardHypothesis/*/explanation`]: { label: "How so?", missing: "Say how it bears on hypothesis {n}.", ...explained },
  } as const
}

export const linkSheets = {
  assert_correction: sheet("assert_correction", {
    heading: "Correct it",
    lead: "The record stays as it is. Readers see your correction beside it.",
    send: "Publish the correction",
    first: ["/correction", "/explanation"],
    folds: [{ heading: "A record that says it right", places: ["/replacementVersionId"] }],
    kept: ["/targetVersionId"],
    asks: {
      "/correction": { label: "What should it say?", missing: "Say what it should say.", tall: 2 },
      "/explanation": why("What is wrong with it?", "Say why it needs correcting."),
      "/replacementVersionId": replacement,
    },
  }),
  assert_supersession: sheet("assert_supersession", {
    heading: "Say what supersedes it",
    lead: "The record stays readable. Readers are led to the one in its place.",
    send: "Say that it is superseded",
    first: ["/replacementVersionId", "/explanation"],
    kept: ["/targetVersionId"],
    asks: { "/replacementVersionId": replacement, "/explanation": why("Why?", "Say why that one stands in its place.") },
  }),
  assert_dispute: sheet("assert_dispute", {
    heading: "Dispute it",
    lead: "Say what speaks against it. The record stays, marked as disputed, and its author sees your dispute.",
    send: "Dispute it",
    first: ["/explanation"],
    folds: [
      { heading: "A part of it alone", places: ["/part"] },
      { heading: "Records that speak against it", places: ["/evidence"] },
    ],
    kept: ["/targetVersionId"],
    asks: {
      "/explanation": why("What speaks against it?", "Say what speaks against it."),
      "/part": { label: "Which words of its wording?", hint: "As they stand there. Left empty, you dispute all of it." },
      "/evidence": { label: "Records that speak against it" },
    },
  }),
  assert_retraction: sheet("assert_retraction", {
    heading: "Retract it",
    lead: "It stays readable and is marked as retracted for good, and what rests on it is in doubt.",
    send: "Retract it",
    first: ["/explanation"],
    kept: ["/targetVersionId"],
    asks: { "/explanation": why("Why?", "Say why it is retracted.") },
  }),
  submit_review: sheet("submit_review", {
    heading: "Review it",
    lead: "Say whether you agree after checking it. Readers see your review beside it; it is no evidence. Your newest review counts.",
    send: "Publish the review",
    first: ["/verdict", "/checked", "/explanation"],
    kept: ["/target"],
    asks: {
      "/target": { label: "What you review" },
      "/verdict": {
        label: "Do you agree?",
        missing: "Say whether you agree.",
        words: { agrees: "I agree", agrees_with_reservations: "I agree, with reservations", objects: "I object" },
      },
      "/checked": {
        label: "What did you check?",
        words: { wording: "its wording", numbers: "the numbers", code: "the code", data: "the data", rerun: "I ran it again" },
      },
      "/explanation": why("Why?", "Say why you agree or object."),
    },
  }),
  link_experiment_finding: sheet("link_experiment_finding", {
    heading: "Say what a finding answers",
    lead: "What it says about the experiment's question and about each hypothesis. You can take it back later.",
    send: "Publish the verdict",
    first: ["/experimentId", "/findingVersionId", "/towardHypothesis", "/towardQuestion"],
    folds: [{ heading: "The attempt it comes from", places: ["/attemptId"] }],
    kept: ["/experimentId", "/findingVersionId"],
    begins: (visit, draft) => {
      const experiment = experimentOf(visit, draft)
      return experiment === null ? {} : { towardHypothesis: experiment.hypotheses.map(({ versionId }) => ({ versionId })) }
    },
    asks: {
      "/experimentId": { label: "Experiment", missing: "Choose the experiment." },
      "/findingVersionId": { label: "Finding", missing: "Choose the finding." },
      ...verdictAsks(""),
      "/attemptId": { label: "Attempt it comes from" },
    },
  }),
  withdraw_link: sheet("withdraw_link", {
    heading: "Take it back",
    lead: "It stays readable as taken back, and counts no more. It can be said again.",
    send: "Take it back",
    first: ["/explanation"],
    kept: ["/linkId"],
    asks: {
      "/linkId": { label: "What is taken back", missing: "Choose what is taken back." },
      "/explanation": why("Why?", "Say why it is taken back."),
    },
  }),
} as const
