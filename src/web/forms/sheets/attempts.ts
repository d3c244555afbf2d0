/** The forms for attempts and their events, the materials that they use and make, and the boards that rank them. */
import { isOver } from "../../../contract/states.ts"
import { orNull, type Visit } from "../../visit.ts"
import { words } from "../../words.ts"
import {
  configurationPrompt,
  costPrompts,
  pictureFold,
  picturePrompts,
  repositoryPrompts,
  runPrompts,
  experimentOf,
  experimentPrompt,
  keptOfExperiment as kept,
  type Offered,
  type Sheets,
  threadPrompt,
} from "./sheet.ts"

const ENDS = ["succeeded", "failed", "cancelled"]

const attemptOf = (visit: Visit, draft: URLSearchParams) =>
  orNull(() => visit.ask("attempt", { attemptId: draft.get("/attemptId") ?? "" }))

/** What can be reported of an attempt now. A run whose start was not reported is started and ended in one go. */
function reportable(visit: Visit, draft: URLSearchParams): Offered | null {
  const attempt = attemptOf(visit, draft)
  if (attempt === null) return null
  const { label, status, intent, registrant } = attempt
  const isLate = isOver("attempt", status)
  const closed =
    registrant.userId !== visit.person?.userId
      ? `Only ${registrant.username} reports what happened to ${label}.`
      : status === "preflight_failed"
        ? `${label} could not start, so there is nothing more to report.`
        : undefined
  return {
    heading: isLate ? `${label} ${words(status)}. What do you want to add?` : `What happened to ${label}?`,
    ...(closed !== undefined && { closed }),
    options: {
      event: isLate
        ? ["progress"]
        : [...ENDS, ...(status === "started" ? ["progress"] : ["started", "preflight_failed"])],
    },
    without: [
      // The program that ran it sends its session.
      "session",
      ...(isLate ? ["failure", "figures"] : ["late"]),
      ...(isLate || intent !== "reproduction" ? ["reproduction"] : []),
    ],
  }
}

export const attemptSheets = {
  register_attempt: {
    heading: "Register an attempt",
    lead: "Say what will be run, pinned to a public commit, before you launch it. Each run is an attempt of its own.",
    send: "Register the attempt",
    first: ["/intent", "/planId", "/rerunOf", "/reproduces", "/repository", "/argv"],
    folds: [
      { heading: "Settings and machine", places: ["/configuration", "/environment"] },
      { heading: "Input materials", places: ["/inputs"] },
      { heading: "Intended deviation from the plan", places: ["/intendedDeviation"] },
    ],
    kept,
    initial: (visit, draft) => {
      const found = experimentOf(visit, draft)
      if (found === null) return {}
      const plan = found.acceptedPlans.at(-1)
      const pinned = plan === undefined ? null : orNull(() => visit.ask("plan", { planId: plan.planId }))
      const isPlanned = (draft.get("/intent") ?? "planned") === "planned"
      return {
        ...found.affordances.expected,
        ...(pinned === null
          ? {}
          : { repository: pinned.content.repository, ...(isPlanned ? { planId: pinned.planId } : {}) }),
      }
    },
    links: {
      planned: "Register a planned attempt",
      exploratory: "Register an exploratory attempt",
      rerun: "Register a rerun",
      reproduction: "Register a reproduction",
    },
    prompts: {
      ...experimentPrompt,
      "/intent": {
        label: "What kind of attempt is it?",
        missing: "Say what kind of attempt it is.",
        words: {
          planned: "as the plan says",
          exploratory: "to see what happens",
          rerun: "a repeat of an earlier attempt",
          reproduction: "to see whether a result holds",
        },
      },
      "/planId": { label: "Plan it follows", only: "/intent=planned", missing: "Choose the plan." },
      "/rerunOf": {
        label: "Attempt it repeats",
        only: "/intent=rerun",
        missing: "Choose the attempt that it repeats.",
      },
      "/reproduces": {
        label: "What should it reproduce?",
        only: "/intent=reproduction",
        line: true,
        missing: "Choose an attempt or a finding.",
      },
      "/reproduces/attemptId": { label: "An attempt", missing: "Choose an attempt, or a finding." },
      "/reproduces/findingVersionId": { label: "Or a finding" },
      ...repositoryPrompts,
      ...runPrompts,
      "/configuration": configurationPrompt,
      "/environment": { label: "Machine and versions", hint: "Name: value, one per line." },
      "/inputs": { label: "Input materials", row: "input", rows: 1 },
      "/inputs/*/materialId": { label: "Material", missing: "Choose material {n}." },
      "/inputs/*/name": { label: "Name in the run", missing: "Say what material {n} is called in the run." },
      "/intendedDeviation": { label: "What differs from the plan, and why?", tall: 2 },
    },
  },
  report_attempt_event: {
    heading: "Say what happened to the attempt",
    lead: "Report in your own words. How an attempt ended cannot be changed afterwards.",
    send: "Report it",
    first: ["/event", "/failure", "/reproduction", "/table"],
    folds: [
      { heading: "In your words", places: ["/message"] },
      { heading: "Values one by one", places: ["/metrics"] },
      { heading: "Outputs and log", places: ["/outputs", "/log"] },
      pictureFold,
      { heading: "What it cost", places: ["/cost"] },
      { heading: "Corrections", places: ["/corrects"] },
      {
        heading: "Time and exit code",
        summary: (draft) => `${(draft.get("/reportedAt") ?? "").slice(0, 16).replace("T", " ")} UTC`,
        places: ["/reportedAt", "/exitCode"],
      },
    ],
    kept: ["/attemptId", "/expectedRevision", "/expectedStatus", "/late"],
    offered: reportable,
    initial: (visit, draft) => {
      const attempt = attemptOf(visit, draft)
      const isLate = attempt !== null && isOver("attempt", attempt.status)
      return { ...attempt?.affordances.expected, ...(isLate && { event: "progress", late: true }) }
    },
    links: {
      started: "Say that it started",
      progress: "Report progress",
      succeeded: "Report its success",
      failed: "Report its failure",
      preflight_failed: "Say that it could not start",
      cancelled: "Say that it was stopped",
    },
    prompts: {
      ...picturePrompts,
      "/attemptId": { label: "Attempt", missing: "Choose the attempt." },
      "/event": {
        label: "What happened?",
        missing: "Say what happened.",
        buttons: true,
        words: {
          preflight_failed: "It could not start",
          started: "It started",
          progress: "There is more to report",
          succeeded: "It succeeded",
          failed: "It failed",
          cancelled: "It was stopped",
        },
      },
      "/failure": { label: "The failure", line: true },
      "/failure/stage": {
        label: "Where did it fail?",
        hint: "Such as loading, training, evaluation.",
        missing: "Say where it failed.",
      },
      "/failure/explanation": { label: "How?", missing: "Say how it failed." },
      "/reproduction": { label: "Whether it reproduces the result", line: true },
      "/reproduction/verdict": {
        label: "The result",
        missing: "Say whether the result held.",
        words: {
          reproduces: "held",
          partly_reproduces: "held in part",
          does_not_reproduce: "did not hold",
          inconclusive: "is inconclusive",
        },
      },
      "/reproduction/explanation": { label: "How so?", missing: "Say how it bears on the result." },
      "/reproduction/repeats": {
        label: "The difference that it repeats",
        hint: "The same difference is computed from this attempt, and the two are compared.",
        line: true,
      },
      "/reproduction/repeats/versionId": {
        label: "Finding",
        missing: "Choose the finding whose difference it repeats.",
      },
      "/reproduction/repeats/effect": {
        label: "Which effect",
        missing: "Say which difference of the finding it repeats.",
      },
      "/reproduction/repeats/attemptIds": { label: "Attempts included" },
      "/message": { label: "Anything else?", tall: 2 },
      "/metrics": { label: "Metrics", row: "metric", rows: 1, line: true },
      "/metrics/*/name": { label: "Name", missing: "Metric {n} has no name yet." },
      "/metrics/*/value": { label: "Value", missing: "Metric {n} has no value yet." },
      "/metrics/*/unit": { label: "Unit" },
      "/metrics/*/step": { label: "Step" },
      "/metrics/*/split": { label: "Split", hint: "Such as train or held-out." },
      "/metrics/*/dimensions": { label: "Dimensions", hint: "Such as arm: shift, one per line." },
      "/table/csv": {
        label: "Table of values",
        hint:
          "Paste or drop CSV with the names of its columns first, such as arm,seed,error. Columns of numbers are " +
          "metrics; seed and columns of words are dimensions.",
        tall: 4,
      },
      "/table/by": { label: "Other columns that are dimensions" },
      "/table/missing": { label: "Cells without a value", hint: "Such as NA." },
      "/table/metric": { label: "Name of the metric", hint: "If the table does not name it." },
      "/corrects": { label: "Corrections of units and values", row: "correction" },
      "/corrects/*/metric": { label: "Metric", missing: "Correction {n} needs the name of its metric." },
      "/corrects/*/split": { label: "Split" },
      "/corrects/*/dimensions": { label: "Dimensions of a value", hint: "Give its new value among the metrics." },
      "/corrects/*/unit": { label: "The correct unit" },
      ...costPrompts("/cost", "Total cost so far"),
      "/outputs": { label: "Outputs", row: "output", rows: 1 },
      "/outputs/*/outputLabel": { label: "Name", missing: "Output {n} has no name yet." },
      "/outputs/*/digest": {
        label: "Digest",
        hint: "sha256: and 64 digits.",
        missing: "Output {n} has no digest yet.",
      },
      "/outputs/*/materialId": { label: "Material" },
      "/outputs/*/mediaType": { label: "Media type" },
      "/outputs/*/sizeBytes": { label: "Size in bytes" },
      "/outputs/*/description": { label: "What it is" },
      "/log/digest": { label: "Log", hint: "What the run printed, as a text file.", upload: "log" },
      "/reportedAt": { label: "When was it?", hint: "In UTC." },
      "/exitCode": { label: "Exit code" },
    },
  },
} satisfies Sheets

/** Materials and their locations. */
export const materialSheets = {
  register_material: {
    heading: "Register a material",
    lead:
      "Data, a model or a file that work uses or makes, identified by its digest or by a pinned address. " +
      "Nothing is uploaded.",
    send: "Register the material",
    first: ["/name", "/reference", "/location"],
    folds: [{ heading: "More about it", places: ["/description", "/mediaType", "/sizeBytes", "/valuesDigest"] }],
    kept: ["/roomId", "/threadId"],
    prompts: {
      ...threadPrompt,
      "/name": { label: "What is it?", missing: "Say what it is." },
      "/reference": {
        label: "Which one exactly?",
        hint: "sha256: and its digest; or hf:// or git:// with a full commit.",
        missing: "Say which one it is exactly.",
      },
      "/location": { label: "Where can people get it?", hint: "An address. Leave it empty if you do not know one." },
      "/description": { label: "What should others know about it?" },
      "/mediaType": { label: "Media type", hint: "application/json, for instance." },
      "/sizeBytes": { label: "Size in bytes" },
      "/valuesDigest": {
        label: "Digest of its values",
        hint: "sha256: of the values themselves, if files differ but their values do not.",
      },
    },
  },
  report_material_location: {
    heading: "Say where people can get it",
    lead: "An address, and whether people can get the material there. The service never opens it.",
    send: "Report it",
    first: ["/uri", "/state"],
    folds: [{ heading: "What was found there", places: ["/observedDigest", "/explanation"] }],
    kept: ["/materialId"],
    initial: () => ({ state: "available" }),
    prompts: {
      "/materialId": { label: "Material", missing: "Choose the material." },
      "/uri": {
        label: "Where?",
        hint: "An address that begins with https, s3, gs, hf, git, doi or ipfs.",
        missing: "Say where.",
      },
      "/state": {
        label: "Can people get it there?",
        missing: "Say whether people can get it there.",
        words: { available: "yes", restricted: "only some people can", unavailable: "no, not any more" },
      },
      "/observedDigest": { label: "Digest of what was found", hint: "sha256: and 64 digits." },
      "/explanation": { label: "Anything else?", tall: 2 },
    },
  },
} satisfies Sheets

export const boardSheets = {
  declare_board: {
    heading: "Declare a board",
    lead:
      "Say what is compared before anything is ranked. Only attempts that run this code on this data count. " +
      "A best one is named only if it clearly differs from the others.",
    send: "Declare the board",
    first: ["/title", "/metric", "/direction", "/over", "/evaluator"],
    folds: [
      { heading: "Data that attempts must name as input", places: ["/data"] },
      { heading: "What is ranked, and on which part of the data", places: ["/by", "/where", "/baseline", "/split"] },
    ],
    kept: ["/roomId", "/threadId"],
    prompts: {
      ...threadPrompt,
      "/title": {
        label: "What is compared?",
        hint: "Such as: loss on the shared validation set.",
        missing: "Say what is compared.",
      },
      "/metric": {
        label: "Metric",
        hint: "As attempts report it, such as error.",
        missing: "Say which metric is compared.",
      },
      "/direction": {
        label: "Which values are better?",
        missing: "Say which values are better.",
        words: { lower: "lower ones", higher: "higher ones" },
      },
      "/over": { label: "Repeated over", hint: "The dimension of the repeats, such as seed." },
      "/evaluator": { label: "What measures it" },
      "/evaluator/repository": repositoryPrompts["/repository"],
      "/evaluator/repository/url": repositoryPrompts["/repository/url"],
      "/evaluator/repository/commit": repositoryPrompts["/repository/commit"],
      "/evaluator/argv": {
        ...runPrompts["/argv"],
        hint: "How the command of each attempt begins. Leave it empty for any.",
      },
      "/data": {
        label: "Digests of the data",
        hint: "sha256: and 64 digits, one per line. Attempts name the materials as inputs.",
      },
      "/by": { label: "Ranked by", hint: "Dimensions, one per line. If left empty: arm." },
      "/where": { label: "Only where", hint: "Such as size: 50, one per line." },
      "/baseline": { label: "Baseline", hint: "The group that others are compared with, such as arm: none." },
      "/split": { label: "Split" },
      "/pool": {
        label: "Settings to merge",
        hint: "Attempts that differ only in these are ranked together; one per line.",
      },
    },
  },
} satisfies Sheets
