/** Experiments, and the plans that are accepted for them, as they are asked for. */
import { accepted } from "../../../contract/reads/accepted.ts"
import type { Visit } from "../../visit.ts"
import { commandHint, configurationAsk, costAsks, repositoryAsks, runAsks } from "./code.ts"
import { experimentAsk, experimentOf, keptOfExperiment as kept, sheet, threadAsk, why } from "./sheet.ts"
import { premiseAsks } from "./statements.ts"

/** What a step expects of its experiment: as it is now, where the page that led here did not say. */
const currentExpected = (visit: Visit, draft: URLSearchParams): object => experimentOf(visit, draft)?.affordances.expected ?? {}

/** What a protocol is asked by, wherever in the body it stands. */
const protocolAsks = <const P extends string>(at: P) =>
  ({
    [at]: { label: "How it will be done" },
    [`${at}/summary`]: {
      label: "How will it be done?",
      hint: "What is run, on what, and what is compared.",
      missing: "Say how it will be done.",
      tall: 3,
    },
    [`${at}/steps`]: { label: "Steps", hint: "One a line." },
    [`${at}/entrypoint`]: { label: "One command for everything" },
    [`${at}/entrypoint/argv`]: runAsks["/argv"],
    [`${at}/arms`]: { label: "Arms that are compared", row: "arm", rows: 1, line: true },
    [`${at}/arms/*/name`]: { label: "Name", missing: "Arm {n} has no name yet." },
    [`${at}/arms/*/argv`]: { label: "Command", hint: commandHint, missing: "Say which command arm {n} runs." },
    [`${at}/arms/*/description`]: { label: "What it is" },
    [`${at}/configuration`]: configurationAsk,
    [`${at}/successCriteria`]: { label: "What would count as success", hint: "One a line." },
  }) as const

export const experimentSheets = {
  propose_experiment: sheet("propose_experiment", {
    heading: "Propose an experiment",
    lead: "A question that a member can take and answer. It stays open until then.",
    send: "Propose the experiment",
    first: ["/question", "/scope", "/hypotheses"],
    folds: [
      {
        heading: "How it could be done",
        places: ["/suggestedProtocol/summary", "/suggestedProtocol/arms", "/suggestedProtocol/successCriteria"],
      },
      { heading: "Steps, one command, configuration", places: ["/suggestedProtocol"] },
    ],
    kept: ["/roomId", "/threadId"],
    asks: {
      ...threadAsk,
      "/question": { label: "What do you want to find out?", hint: "One question.", missing: "Say what you want to find out.", tall: 2 },
      "/scope": {
        label: "On what?",
        hint: "Models, data, sizes, seeds: how far the answer will reach.",
        missing: "Say what it will be tried on.",
        tall: 2,
      },
      "/hypotheses": { label: "Hypotheses it tests" },
      ...protocolAsks("/suggestedProtocol"),
    },
  }),
  accept_plan: sheet("accept_plan", {
    heading: "Accept a plan",
    lead: "What will be run, pinned to a public repository and a commit. It cannot be changed; another one can be accepted later.",
    send: "Accept the plan",
    first: ["/repository", "/protocol/summary", "/intent"],
    folds: [
      { heading: "Arms and what would count as success", places: ["/protocol/arms", "/protocol/successCriteria"] },
      { heading: "Steps, one command, configuration", places: ["/protocol"] },
      { heading: "Hypotheses it tests", places: ["/hypotheses"] },
      { heading: "Premises it rests on", places: ["/premises"] },
      { heading: "Materials it needs", places: ["/requiredMaterials"] },
      { heading: "Budget", places: ["/budget"] },
      { heading: "Keep the protocol sealed for now", places: ["/sealed"] },
    ],
    kept,
    begins: (visit, draft) => {
      const experiment = experimentOf(visit, draft)
      if (experiment === null) return {}
      return {
        ...experiment.affordances.expected,
        hypotheses: experiment.hypotheses.map(({ versionId }) => versionId),
        intent: experiment.hypotheses.length > 0 ? "confirmatory" : "exploratory",
        ...(experiment.suggestedProtocol === null ? {} : { protocol: accepted("protocol", experiment.suggestedProtocol) }),
      }
    },
    asks: {
      ...repositoryAsks,
      "/intent": {
        label: "What kind of work is it?",
        missing: "Say what kind of work it is.",
        words: {
          confirmatory: "it tests what was predicted",
          exploratory: "it looks for what there is",
          replication: "it repeats earlier work",
        },
      },
      "/hypotheses": { label: "Hypotheses it tests" },
      ...premiseAsks,
      ...protocolAsks("/protocol"),
      "/sealed": { label: "In place of the protocol", line: true },
      "/sealed/digest": {
        label: "Digest",
        hint: "sha256: and the SHA-256 of the canonical JSON of the protocol and a salt. Leave the protocol empty.",
        missing: "Give the digest of the protocol and its salt.",
      },
      "/sealed/opensAt": { label: "Until when", hint: "In UTC, within a year.", missing: "Say when it is opened." },
      ...costAsks("/budget", "What its attempts may cost in all"),
      "/requiredMaterials": { label: "Materials it needs", row: "material", rows: 1 },
      "/requiredMaterials/*/materialId": { label: "Material", missing: "Choose material {n}." },
      "/requiredMaterials/*/purpose": { label: "What it is needed for", missing: "Say what material {n} is needed for." },
    },
  }),
  open_plan: sheet("open_plan", {
    heading: "Open the plan",
    lead: "Its protocol is shown from then on. It must be the one that was sealed, to the letter.",
    send: "Open it",
    first: ["/salt", "/protocol"],
    kept: ["/planId"],
    asks: {
      "/planId": { label: "Plan", missing: "Choose the plan." },
      "/salt": { label: "Salt", hint: "The 32 to 128 hex digits that it was sealed with.", missing: "Give the salt." },
      ...protocolAsks("/protocol"),
    },
  }),
  amend_experiment: sheet("amend_experiment", {
    heading: "Change what the experiment asks",
    lead: "As long as nobody has taken it. What it asked before stays in its history.",
    send: "Change it",
    first: ["/question", "/scope", "/explanation"],
    folds: [
      { heading: "Hypotheses it tests", places: ["/hypotheses"] },
      { heading: "How it could be done", places: ["/suggestedProtocol"] },
    ],
    kept,
    begins: (visit, draft) => {
      const found = experimentOf(visit, draft)
      if (found === null) return {}
      const { question, scope, hypotheses, affordances } = found
      return { ...affordances.expected, question, scope, hypotheses: hypotheses.map(({ versionId }) => versionId) }
    },
    asks: {
      ...experimentAsk,
      "/question": { label: "What do you want to find out?", tall: 2 },
      "/scope": { label: "On what?", tall: 2 },
      "/explanation": why("Why is it changed?", "Say why it is changed."),
      "/hypotheses": { label: "Hypotheses it tests" },
      ...protocolAsks("/suggestedProtocol"),
    },
  }),
  cancel_experiment: sheet("cancel_experiment", {
    heading: "Withdraw the experiment",
    lead: "For good: it stays readable, and nobody can take it any more.",
    send: "Withdraw it",
    first: ["/reason"],
    kept,
    begins: currentExpected,
    asks: { ...experimentAsk, "/reason": why("Why is it withdrawn?", "Say why it is withdrawn.") },
  }),
  take_experiment: sheet("take_experiment", {
    heading: "Take the experiment",
    lead: "It is yours until you give it back or say how it ended. Taking it starts nothing.",
    send: "Take it",
    first: [],
    folds: [{ heading: "Let others take it over when nothing happens", places: ["/leaseMinutes"] }],
    kept,
    begins: currentExpected,
    asks: {
      ...experimentAsk,
      "/leaseMinutes": {
        label: "Minutes without a sign from you",
        hint: "From 30 to 1,440. Each thing you write about the experiment begins them again. Left empty, it stays yours.",
      },
    },
  }),
  release_experiment: sheet("release_experiment", {
    heading: "Give the experiment back",
    lead: "Another member can take it then. Plans, attempts and findings stay.",
    send: "Give it back",
    first: ["/handoff"],
    kept,
    begins: currentExpected,
    asks: {
      ...experimentAsk,
      "/handoff": why("What should the next person to take it know?", "Say what the next person to take it should know."),
    },
  }),
  report_experiment_status: sheet("report_experiment_status", {
    heading: "Say how the experiment stands",
    lead: "Once it is finished or called off, that cannot be changed.",
    send: "Say so",
    first: ["/status", "/summary"],
    kept,
    begins: currentExpected,
    links: { in_progress: "Say that it is under way", completed: "Finish it", cancelled: "Call it off" },
    asks: {
      ...experimentAsk,
      "/status": {
        label: "How does it stand?",
        missing: "Say how it stands.",
        words: { in_progress: "it is under way", completed: "it is finished", cancelled: "it is called off" },
      },
      "/summary": {
        label: "What came of it?",
        hint: "Needed once it is finished or called off. Markdown and TeX.",
        missing: "Say what came of it.",
        tall: 2,
      },
    },
  }),
} as const
