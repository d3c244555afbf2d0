/** The forms for experiments and their plans. */
import { accepted } from "../../../contract/operations/index.ts"
import type { Visit } from "../../visit.ts"
import {
  commandHint,
  configurationPrompt,
  costPrompts,
  repositoryPrompts,
  runPrompts,
  experimentOf,
  experimentPrompt,
  keptOfExperiment as kept,
  type Sheets,
  threadPrompt,
  why,
} from "./sheet.ts"
import { premisePrompts } from "./statements.ts"

/** The current revision and status of the experiment, for a form opened without them. */
const currentExpected = (visit: Visit, draft: URLSearchParams): object =>
  experimentOf(visit, draft)?.affordances.expected ?? {}

const protocolPrompts = <const P extends string>(at: P) =>
  ({
    [at]: { label: "How it will be done" },
    [`${at}/summary`]: {
      label: "How will it be done?",
      hint: "What is run, on what, and what is compared.",
      missing: "Say how it will be done.",
      tall: 3,
    },
    [`${at}/steps`]: { label: "Steps", hint: "One per line." },
    [`${at}/entrypoint`]: { label: "One command for everything" },
    [`${at}/entrypoint/argv`]: runPrompts["/argv"],
    [`${at}/arms`]: { label: "Arms that are compared", row: "arm", rows: 1, line: true },
    [`${at}/arms/*/name`]: { label: "Name", missing: "Arm {n} has no name yet." },
    [`${at}/arms/*/argv`]: { label: "Command", hint: commandHint, missing: "Say which command arm {n} runs." },
    [`${at}/arms/*/description`]: { label: "What it is" },
    [`${at}/baselineRepeats`]: { label: "Repeats of the baseline, before anything else" },
    [`${at}/baselineRepeats/arm`]: { label: "Which arm" },
    [`${at}/baselineRepeats/runs`]: { label: "How many runs" },
    [`${at}/configuration`]: configurationPrompt,
    [`${at}/successCriteria`]: { label: "What would count as success", hint: "One per line." },
  }) as const

export const experimentSheets = {
  propose_experiment: {
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
    prompts: {
      ...threadPrompt,
      "/question": {
        label: "What do you want to find out?",
        hint: "One question.",
        missing: "Say what you want to find out.",
        tall: 2,
      },
      "/scope": {
        label: "On what?",
        hint: "Models, data, sizes, seeds: what the answer will apply to.",
        missing: "Say what it will be tried on.",
        tall: 2,
      },
      "/hypotheses": { label: "Hypotheses it tests" },
      ...protocolPrompts("/suggestedProtocol"),
    },
  },
  accept_plan: {
    heading: "Pin the plan",
    lead:
      "What will be run, pinned to a public repository and a commit. It cannot be changed; " +
      "another one can be pinned later.",
    send: "Pin the plan",
    first: ["/repository", "/protocol/summary", "/intent"],
    folds: [
      {
        heading: "Arms and what would count as success",
        places: ["/protocol/arms", "/protocol/baselineRepeats", "/protocol/successCriteria"],
      },
      { heading: "Steps, one command, configuration", places: ["/protocol"] },
      { heading: "Hypotheses it tests", places: ["/hypotheses"] },
      { heading: "Premises it rests on", places: ["/premises"] },
      { heading: "Materials it needs", places: ["/requiredMaterials"] },
      { heading: "Budget", places: ["/budget"] },
      { heading: "Keep the protocol sealed for now", places: ["/sealed"] },
    ],
    kept,
    initial: (visit, draft) => {
      const experiment = experimentOf(visit, draft)
      if (experiment === null) return {}
      return {
        ...experiment.affordances.expected,
        hypotheses: experiment.hypotheses.map(({ versionId }) => versionId),
        intent: experiment.hypotheses.length > 0 ? "confirmatory" : "exploratory",
        ...(experiment.suggestedProtocol === null
          ? {}
          : { protocol: accepted("protocol", experiment.suggestedProtocol) }),
      }
    },
    prompts: {
      ...repositoryPrompts,
      "/intent": {
        label: "What kind of work is it?",
        missing: "Say what kind of work it is.",
        words: {
          confirmatory: "it tests a prediction",
          exploratory: "it explores",
          replication: "it repeats earlier work",
        },
      },
      "/hypotheses": { label: "Hypotheses it tests" },
      ...premisePrompts,
      ...protocolPrompts("/protocol"),
      "/sealed": { label: "Seal in place of the protocol", line: true },
      "/sealed/digest": {
        label: "Digest",
        hint: "sha256: and the SHA-256 of the canonical JSON of the protocol and a salt. Leave the protocol empty.",
        missing: "Give the digest of the protocol and its salt.",
      },
      "/sealed/opensAt": {
        label: "Sealed until",
        hint: "In UTC, within a year.",
        missing: "Say when it will be opened.",
      },
      ...costPrompts("/budget", "What its attempts may cost in total"),
      "/requiredMaterials": { label: "Materials it needs", row: "material", rows: 1 },
      "/requiredMaterials/*/materialId": { label: "Material", missing: "Choose material {n}." },
      "/requiredMaterials/*/purpose": {
        label: "What it is needed for",
        missing: "Say what material {n} is needed for.",
      },
    },
  },
  open_plan: {
    heading: "Open the plan",
    lead: "Everybody sees its protocol from then on. It must be exactly the one that was sealed.",
    send: "Open it",
    first: ["/salt", "/protocol"],
    kept: ["/planId"],
    prompts: {
      "/planId": { label: "Plan", missing: "Choose the plan." },
      "/salt": { label: "Salt", hint: "The 32 to 128 hex digits that it was sealed with.", missing: "Give the salt." },
      ...protocolPrompts("/protocol"),
    },
  },
  amend_experiment: {
    heading: "Change what the experiment asks",
    lead: "You can change it as long as nobody has taken it. The earlier question stays in its history.",
    send: "Change it",
    first: ["/question", "/scope", "/explanation"],
    folds: [
      { heading: "Hypotheses it tests", places: ["/hypotheses"] },
      { heading: "How it could be done", places: ["/suggestedProtocol"] },
    ],
    kept,
    initial: (visit, draft) => {
      const found = experimentOf(visit, draft)
      if (found === null) return {}
      const { question, scope, hypotheses, affordances } = found
      return { ...affordances.expected, question, scope, hypotheses: hypotheses.map(({ versionId }) => versionId) }
    },
    prompts: {
      ...experimentPrompt,
      "/question": { label: "What do you want to find out?", tall: 2 },
      "/scope": { label: "On what?", tall: 2 },
      "/explanation": why("Why do you change it?", "Say why you change it."),
      "/hypotheses": { label: "Hypotheses it tests" },
      ...protocolPrompts("/suggestedProtocol"),
    },
  },
  cancel_experiment: {
    heading: "Withdraw the experiment",
    lead: "This cannot be undone. It stays readable, but nobody can take it any more.",
    send: "Withdraw it",
    first: ["/reason"],
    kept,
    initial: currentExpected,
    prompts: { ...experimentPrompt, "/reason": why("Why do you withdraw it?", "Say why you withdraw it.") },
  },
  take_experiment: {
    heading: "Take the experiment",
    lead: "It is yours until you give it back or say how it ended. Taking it starts nothing.",
    send: "Take it",
    first: [],
    folds: [{ heading: "Let others take it over if you stop working on it", places: ["/leaseMinutes"] }],
    kept,
    initial: currentExpected,
    prompts: {
      ...experimentPrompt,
      "/leaseMinutes": {
        label: "Minutes without a sign from you",
        hint:
          "From 30 to 1,440. Each thing you write about the experiment restarts them. " +
          "If left empty, it stays yours.",
      },
    },
  },
  release_experiment: {
    heading: "Give the experiment back",
    lead: "Another member can then take it. Plans, attempts and findings stay.",
    send: "Give it back",
    first: ["/handoff"],
    kept,
    initial: currentExpected,
    prompts: {
      ...experimentPrompt,
      "/handoff": why("What should the next person know?", "Say what the next person should know."),
    },
  },
  report_experiment_status: {
    heading: "Report the status of the experiment",
    lead: "Once it is finished or called off, that cannot be changed.",
    send: "Report it",
    first: ["/status", "/summary"],
    kept,
    initial: currentExpected,
    links: { in_progress: "Say that it is under way", completed: "Finish it", cancelled: "Call it off" },
    prompts: {
      ...experimentPrompt,
      "/status": {
        label: "What is its status?",
        missing: "Say what its status is.",
        words: { in_progress: "it is under way", completed: "it is finished", cancelled: "it is called off" },
      },
      "/summary": {
        label: "What came of it?",
        hint: "Needed once it is finished or called off. Markdown and TeX.",
        missing: "Say what came of it.",
        tall: 2,
      },
    },
  },
} satisfies Sheets
