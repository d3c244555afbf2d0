/** What becomes of experiments and attempts, step by step, as it is asked for. */
import { orNull, type Visit } from "../../visit.ts"
import { sheet } from "./sheet.ts"
import { configurationAsk, protocolAsks, repositoryAsks, runAsks } from "./work.ts"

/** What a step expects of its experiment: as it is now, where the page that led here did not say. */
const asItIs = (visit: Visit, draft: URLSearchParams): object =>
  orNull(() => visit.ask("experiment", { experimentId: draft.get("/experimentId") ?? "" }))?.affordances.expected ?? {}

const kept = ["/experimentId", "/expectedRevision", "/expectedStatus"] as const
const experiment = { "/experimentId": { label: "Experiment", missing: "Choose the experiment." } } as const
const why = (label: string, missing: string) => ({ label, missing, tall: 2 }) as const

export const stepSheets = {
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
      const found = orNull(() => visit.ask("experiment", { experimentId: draft.get("/experimentId") ?? "" }))
      if (found === null) return {}
      const { question, scope, hypotheses, affordances } = found
      return { ...affordances.expected, question, scope, hypotheses: hypotheses.map(({ versionId }) => versionId) }
    },
    asks: {
      ...experiment,
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
    begins: asItIs,
    asks: { ...experiment, "/reason": why("Why is it withdrawn?", "Say why it is withdrawn.") },
  }),
  take_experiment: sheet("take_experiment", {
    heading: "Take the experiment",
    lead: "It is yours until you give it back or say how it ended. Taking it starts nothing.",
    send: "Take it",
    first: [],
    kept,
    begins: asItIs,
    asks: experiment,
  }),
  release_experiment: sheet("release_experiment", {
    heading: "Give the experiment back",
    lead: "Another member can take it then. Plans, attempts and findings stay.",
    send: "Give it back",
    first: ["/handoff"],
    kept,
    begins: asItIs,
    asks: {
      ...experiment,
      "/handoff": why("What should the next person to take it know?", "Say what the next person to take it should know."),
    },
  }),
  report_experiment_status: sheet("report_experiment_status", {
    heading: "Say how the experiment stands",
    lead: "Once it is finished or called off, that cannot be changed.",
    send: "Say so",
    first: ["/status", "/summary"],
    kept,
    begins: asItIs,
    links: { in_progress: "Say that it is under way", completed: "Finish it", cancelled: "Call it off" },
    asks: {
      ...experiment,
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
  register_attempt: sheet("register_attempt", {
    heading: "Register an attempt",
    lead: "Before it is launched: what will be run, pinned to a public commit. Each run is an attempt of its own.",
    send: "Register the attempt",
    first: ["/intent", "/planId", "/rerunOf", "/reproduces", "/repository", "/argv"],
    folds: [
      { heading: "Settings and machine", places: ["/configuration", "/environment"] },
      { heading: "Materials that go in", places: ["/inputs"] },
      { heading: "Where it departs from the plan on purpose", places: ["/intendedDeviation"] },
    ],
    kept,
    begins: (visit, draft) => {
      const found = orNull(() => visit.ask("experiment", { experimentId: draft.get("/experimentId") ?? "" }))
      if (found === null) return {}
      const plan = found.acceptedPlans.at(-1)
      const pinned = plan === undefined ? null : orNull(() => visit.ask("plan", { planId: plan.planId }))
      const isPlanned = (draft.get("/intent") ?? "planned") === "planned"
      return {
        ...found.affordances.expected,
        ...(pinned === null ? {} : { repository: pinned.content.repository, ...(isPlanned ? { planId: pinned.planId } : {}) }),
      }
    },
    links: {
      planned: "Register a planned attempt",
      exploratory: "Register an exploratory attempt",
      rerun: "Register a rerun",
      reproduction: "Register a reproduction",
    },
    asks: {
      ...experiment,
      "/intent": {
        label: "What kind of attempt is it?",
        missing: "Say what kind of attempt it is.",
        words: {
          planned: "as the plan says",
          exploratory: "to see what happens",
          rerun: "an attempt again",
          reproduction: "to see whether a result holds",
        },
      },
      "/planId": { label: "Plan it follows", only: "/intent=planned", missing: "Choose the plan." },
      "/rerunOf": { label: "Attempt it repeats", only: "/intent=rerun", missing: "Choose the attempt that is run again." },
      "/reproduces": {
        label: "What is it to reproduce?",
        only: "/intent=reproduction",
        line: true,
        missing: "Choose an attempt or a finding.",
      },
      "/reproduces/attemptId": { label: "An attempt", missing: "Choose an attempt, or a finding." },
      "/reproduces/findingVersionId": { label: "Or a finding" },
      ...repositoryAsks,
      ...runAsks,
      "/configuration": configurationAsk,
      "/environment": { label: "Machine and versions", hint: "Name: value, one a line." },
      "/inputs": { label: "Materials that go in", row: "input", rows: 1 },
      "/inputs/*/materialId": { label: "Material", missing: "Choose material {n}." },
      "/inputs/*/name": { label: "Name in the run", missing: "Say what material {n} is called in the run." },
      "/intendedDeviation": { label: "What is otherwise than planned, and why?", tall: 2 },
    },
  }),
  report_attempt_event: sheet("report_attempt_event", {
    heading: "Say what happened to the attempt",
    lead: "In the words of who ran it. How an attempt ended cannot be changed afterwards.",
    send: "Report it",
    first: ["/event", "/failure", "/reproduction", "/message"],
    folds: [
      { heading: "Metrics", places: ["/metrics"] },
      { heading: "Outputs", places: ["/outputs"] },
      { heading: "When it was, and its exit code", places: ["/reportedAt", "/exitCode"] },
    ],
    kept: ["/attemptId", "/expectedRevision", "/expectedStatus"],
    begins: (visit, draft) => orNull(() => visit.ask("attempt", { attemptId: draft.get("/attemptId") ?? "" }))?.affordances.expected ?? {},
    links: {
      started: "Say that it started",
      progress: "Report progress",
      succeeded: "Report its success",
      failed: "Report its failure",
      preflight_failed: "Say that it could not start",
      cancelled: "Say that it was stopped",
    },
    asks: {
      "/attemptId": { label: "Attempt", missing: "Choose the attempt." },
      "/event": {
        label: "What happened?",
        missing: "Say what happened.",
        words: {
          preflight_failed: "it could not start",
          started: "it started",
          progress: "it goes on",
          succeeded: "it ended well",
          failed: "it failed",
          cancelled: "it was stopped",
        },
      },
      "/failure": { label: "The failure", line: true },
      "/failure/stage": { label: "Where did it fail?", hint: "Such as loading, training, evaluation.", missing: "Say where it failed." },
      "/failure/explanation": { label: "How?", missing: "Say how it failed." },
      "/reproduction": { label: "What it says of what it reproduces", line: true },
      "/reproduction/verdict": {
        label: "The result",
        missing: "Say whether the result held.",
        words: {
          reproduces: "held",
          partly_reproduces: "held in part",
          does_not_reproduce: "did not hold",
          inconclusive: "cannot be told",
        },
      },
      "/reproduction/explanation": { label: "How so?", missing: "Say how it bears on what it reproduces." },
      "/message": { label: "Anything else?", tall: 2 },
      "/metrics": { label: "Metrics", row: "metric", rows: 1, line: true },
      "/metrics/*/name": { label: "Name", missing: "Metric {n} has no name yet." },
      "/metrics/*/value": { label: "Value", missing: "Metric {n} has no value yet." },
      "/metrics/*/unit": { label: "Unit" },
      "/metrics/*/step": { label: "Step" },
      "/metrics/*/split": { label: "Split", hint: "Such as train or held-out." },
      "/outputs": { label: "Outputs", row: "output", rows: 1 },
      "/outputs/*/outputLabel": { label: "Name", missing: "Output {n} has no name yet." },
      "/outputs/*/digest": { label: "Digest", hint: "sha256: and 64 digits.", missing: "Output {n} has no digest yet." },
      "/outputs/*/materialId": { label: "Material that it is" },
      "/outputs/*/mediaType": { label: "Media type" },
      "/outputs/*/sizeBytes": { label: "Size in bytes" },
      "/outputs/*/description": { label: "What it is" },
      "/reportedAt": { label: "When was it?", hint: "In UTC." },
      "/exitCode": { label: "Exit code" },
    },
  }),
  report_material_location: sheet("report_material_location", {
    heading: "Say where it can be had",
    lead: "An address, and whether it can be had there. The service never opens it.",
    send: "Say so",
    first: ["/uri", "/state"],
    folds: [{ heading: "What was found there", places: ["/observedDigest", "/explanation"] }],
    kept: ["/materialId"],
    begins: () => ({ state: "available" }),
    asks: {
      "/materialId": { label: "Material", missing: "Choose the material." },
      "/uri": { label: "Where?", hint: "An address that begins with https, s3, gs, hf, git, doi or ipfs.", missing: "Say where." },
      "/state": {
        label: "Can it be had there?",
        missing: "Say whether it can be had there.",
        words: { available: "yes", restricted: "only by some", unavailable: "no, not any more" },
      },
      "/observedDigest": { label: "Digest of what was found", hint: "sha256: and 64 digits." },
      "/explanation": { label: "Anything else?", tall: 2 },
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
