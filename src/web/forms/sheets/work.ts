/** Experiments, their plans and materials, as they are asked for. */
import { accepted } from "../../../contract/reads/accepted.ts"
import { orNull } from "../../visit.ts"
import { sheet, threadAsk } from "./sheet.ts"
import { premiseAsks } from "./statements.ts"

const commandHint = "As you would type it in a terminal."

/** Which code is run. */
export const repositoryAsks = {
  "/repository": { label: "The code", line: true },
  "/repository/url": {
    label: "Public repository",
    hint: "https://github.com/owner/name",
    missing: "Say which repository holds the code.",
    suggested: "repositories",
  },
  "/repository/commit": { label: "Commit", hint: "All of its 40 or 64 digits.", missing: "Say which commit is run." },
} as const
/** What is run, with which settings. */
export const runAsks = { "/argv": { label: "Command", hint: commandHint, missing: "Say which command is run." } } as const
export const configurationAsk = { label: "Configuration", hint: "A JSON object." } as const

/** What a protocol is asked by, wherever in the body it stands. */
export const protocolAsks = <const P extends string>(at: P) =>
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

export const workSheets = {
  propose_experiment: sheet("propose_experiment", {
    heading: "Propose an experiment",
    lead: "A question that somebody can take and answer. It stays open until a member takes it.",
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
    ],
    kept: ["/experimentId", "/expectedRevision", "/expectedStatus"],
    begins: (visit, draft) => {
      const experiment = orNull(() => visit.ask("experiment", { experimentId: draft.get("/experimentId") ?? "" }))
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
      "/requiredMaterials": { label: "Materials it needs", row: "material", rows: 1 },
      "/requiredMaterials/*/materialId": { label: "Material", missing: "Choose material {n}." },
      "/requiredMaterials/*/purpose": { label: "What it is needed for", missing: "Say what material {n} is needed for." },
    },
  }),
  register_material: sheet("register_material", {
    heading: "Register a material",
    lead: "Data, a model or a file that work uses or makes, known by its digest or by a pinned place. Nothing is uploaded.",
    send: "Register the material",
    first: ["/name", "/reference", "/location"],
    folds: [{ heading: "More about it", places: ["/description", "/mediaType", "/sizeBytes", "/valuesDigest"] }],
    kept: ["/roomId", "/threadId"],
    asks: {
      ...threadAsk,
      "/name": { label: "What is it?", missing: "Say what it is." },
      "/reference": {
        label: "Which one exactly?",
        hint: "sha256: and its digest; or hf:// or git:// with a full commit.",
        missing: "Say which one it is exactly.",
      },
      "/location": { label: "Where can it be had?", hint: "An address; left empty, nobody has said yet." },
      "/description": { label: "What should others know of it?" },
      "/mediaType": { label: "Media type", hint: "application/json, for instance." },
      "/sizeBytes": { label: "Size in bytes" },
      "/valuesDigest": { label: "Digest of its values", hint: "sha256: of the values themselves, where files differ and values do not." },
    },
  }),
} as const
