/** What is said of records and Threads afterwards, and what an agent is given: as it is asked for. */
import { enumerations } from "../../../contract/enumerations.ts"
import { orNull } from "../../visit.ts"
import { ANOTHER, sheet, threadAsk } from "./sheet.ts"

const why = (missing: string, label = "Why?") => ({ label, missing, tall: 2 }) as const
const replacement = {
  label: "The record that stands in its place",
  hint: ANOTHER,
  missing: "Choose the record that stands in its place.",
} as const

export const spokenSheets = {
  assert_correction: sheet("assert_correction", {
    heading: "Correct it",
    lead: "The record stays as it is; whoever reads it sees your correction beside it.",
    send: "Publish the correction",
    first: ["/correction", "/explanation"],
    folds: [{ heading: "A record that says it right", places: ["/replacementVersionId"] }],
    kept: ["/targetVersionId"],
    asks: {
      "/correction": { label: "What should it say?", missing: "Say what it should say.", tall: 2 },
      "/explanation": why("Say why it needs correcting.", "What is wrong with it?"),
      "/replacementVersionId": replacement,
    },
  }),
  assert_supersession: sheet("assert_supersession", {
    heading: "Say what supersedes it",
    lead: "The record stays readable; whoever reads it is led to the one in its place.",
    send: "Say that it is superseded",
    first: ["/replacementVersionId", "/explanation"],
    kept: ["/targetVersionId"],
    asks: { "/replacementVersionId": replacement, "/explanation": why("Say why that one stands in its place.") },
  }),
  assert_dispute: sheet("assert_dispute", {
    heading: "Dispute it",
    lead: "Say what speaks against it. The record stays, marked as disputed, and its author is told.",
    send: "Dispute it",
    first: ["/explanation"],
    folds: [{ heading: "Records that speak against it", places: ["/evidence"] }],
    kept: ["/targetVersionId"],
    asks: {
      "/explanation": why("Say what speaks against it.", "What speaks against it?"),
      "/evidence": { label: "Records that speak against it" },
    },
  }),
  assert_retraction: sheet("assert_retraction", {
    heading: "Retract it",
    lead: "It stays readable and is marked as retracted for good, and what rests on it is in doubt.",
    send: "Retract it",
    first: ["/explanation"],
    kept: ["/targetVersionId"],
    asks: { "/explanation": why("Say why it is retracted.") },
  }),
  link_experiment_finding: sheet("link_experiment_finding", {
    heading: "Relate a finding to an experiment",
    lead: "What the finding says to the experiment's question, and to each hypothesis. It changes the state of neither.",
    send: "Relate them",
    first: ["/experimentId", "/findingVersionId", "/towardQuestion", "/towardHypothesis"],
    folds: [{ heading: "The attempt it comes from", places: ["/attemptId"] }],
    kept: ["/experimentId", "/findingVersionId"],
    begins: (visit, draft) => {
      const experiment = orNull(() => visit.ask("experiment", { experimentId: draft.get("/experimentId") ?? "" }))
      return experiment === null ? {} : { towardHypothesis: experiment.hypotheses.map(({ versionId }) => ({ versionId })) }
    },
    asks: {
      "/experimentId": { label: "Experiment", missing: "Choose the experiment." },
      "/findingVersionId": { label: "Finding", missing: "Choose the finding." },
      "/towardQuestion": { label: "What it says to the question", line: true },
      "/towardQuestion/verdict": {
        label: "The finding",
        missing: "Say whether it answers the question.",
        words: { answers: "answers it", partly_answers: "answers part of it", does_not_answer: "does not answer it" },
      },
      "/towardQuestion/explanation": { label: "How so?", missing: "Say how it bears on the question." },
      "/towardHypothesis": { label: "What it says to hypotheses", row: "hypothesis", rows: 1, line: true },
      "/towardHypothesis/*/versionId": { label: "Hypothesis", missing: "Choose hypothesis {n}." },
      "/towardHypothesis/*/verdict": {
        label: "The finding",
        missing: "Say what it means for hypothesis {n}.",
        words: { supports: "supports it", contradicts: "contradicts it", inconclusive: "leaves it open" },
      },
      "/towardHypothesis/*/explanation": { label: "How so?", missing: "Say how it bears on hypothesis {n}." },
      "/attemptId": { label: "Attempt it comes from" },
    },
  }),
  post_research_checkpoint: sheet("post_research_checkpoint", {
    heading: "Say where the Thread stands",
    lead: "A summary for whoever comes next, of everything up to now.",
    send: "Post the checkpoint",
    first: ["/synthesis", "/state", "/conclusion"],
    folds: [
      { heading: "Questions that stay open", places: ["/openQuestions"] },
      { heading: "Records it cites", places: ["/citations"] },
      { heading: "How far it covers", places: ["/coversThrough"] },
    ],
    kept: ["/threadId", "/expectedWatermark"],
    begins: (visit, draft) => {
      const context = orNull(() => visit.ask("thread_context", { threadId: draft.get("/threadId") ?? "" }))
      const read = Number(draft.get("/expectedWatermark") ?? context?.thread.timelineWatermark)
      return { state: "open", ...(Number.isSafeInteger(read) ? { expectedWatermark: read, coversThrough: read } : {}) }
    },
    asks: {
      "/synthesis": { label: "What has it come to?", hint: "Markdown and TeX.", missing: "Say what it has come to.", tall: 5 },
      "/state": {
        label: "Is the question settled?",
        missing: "Say whether the question is settled.",
        words: { open: "no, it stays open", concluded: "yes, this concludes it" },
      },
      "/conclusion": { label: "The conclusion, in a sentence or two", missing: "Say what the conclusion is." },
      "/openQuestions": { label: "Questions that stay open", hint: "One a line." },
      "/citations": { label: "Records it cites" },
      "/coversThrough": { label: "Covers the entries up to number" },
      ...threadAsk,
    },
  }),
  issue_credential: sheet("issue_credential", {
    heading: "Give an agent a credential",
    lead: "With it a program writes in this Room under your name. It is shown once, and can be revoked at any time.",
    send: "Issue the credential",
    first: ["/label", "/permissions"],
    folds: [{ heading: "Narrower: only some Threads, another end", places: ["/threadIds", "/expiresAt"] }],
    begins: () => ({ permissions: enumerations.permission }),
    asks: {
      "/label": { label: "What is it for?", hint: "The agent's name, or what it does.", missing: "Say what it is for." },
      "/permissions": {
        label: "What may it do?",
        missing: "Choose at least one thing that it may do.",
        words: {
          post_thread: "write in Threads, relate findings, dispute and correct",
          publish_records: "publish hypotheses, findings and claims",
          manage_own_experiments: "propose and take experiments, register attempts",
        },
      },
      "/threadIds": { label: "Only in these Threads", hint: "None chosen: in all of them." },
      "/expiresAt": { label: "Ends at", hint: "Left empty, in 90 days." },
    },
  }),
} as const
