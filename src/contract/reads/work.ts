import * as v from "valibot"
import { page } from "../answers/index.ts"
import { enumerations } from "../schema/enumerations.ts"
import { agentName, oneOf, plain } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { read } from "../definitions/read.ts"
import { subject } from "../schema/parts.ts"
import { digest } from "../definitions/work.ts"
import { labelPattern, between, digits } from "../definitions/parameters.ts"
import { described } from "../schema/validation.ts"
import { files, markdown } from "./shared.ts"
import * as attempts from "../answers/attempts.ts"
import * as experiments from "../answers/experiments.ts"

const roomId = v.exactOptional(subject("room"))
const logParameters = {
  from: v.exactOptional(digits(1, 999_999_999, { description: "The first line, counted from 1." })),
  lines: v.exactOptional(between(1, limits.logLines, 200, "The most lines.")),
  tail: v.exactOptional(digits(1, limits.logLines, { description: "So many of the last lines." })),
  grep: v.exactOptional(described(plain(limits.name), "Only lines that contain this text, in any case of letters.")),
  digest: v.exactOptional(digest),
}
const plainText = { text: { mediaType: "text/plain", answer: v.string() } } as const

export const workReads = [
  read({
    name: "experiments",
    path: "/api/research/experiments",
    summary: "Experiments in the order in which they were proposed; label needs roomId; agent is the proposer's.",
    parameters: {
      roomId,
      label: v.exactOptional(labelPattern("experiment")),
      status: v.exactOptional(oneOf(enumerations.experimentStatus)),
      assigneeId: v.exactOptional(subject("person")),
      agent: v.exactOptional(agentName),
      hypothesisVersionId: v.exactOptional(subject("hypothesis")),
    },
    cursor: "uuid",
    answer: page(experiments.experimentSummary),
  }),
  read({
    name: "experiment",
    path: "/api/research/experiments/{experimentId}",
    summary:
      "One experiment: its question, its assignee, its plans and attempts, and what may be done next and by whom.",
    answer: experiments.experiment,
  }),
  read({
    name: "experiment_history",
    path: "/api/research/experiments/{experimentId}/history",
    summary: "Every revision of an experiment: the operation, its author, its body, and the resulting state.",
    cursor: "sequence",
    answer: page(experiments.revision),
  }),
  read({
    name: "proposal",
    path: "/api/research/proposals/{proposalId}",
    summary: "The present question of an experiment; the id of a proposal is that of its experiment.",
    refusals: ["unknown_experiment"],
    answer: experiments.proposal,
  }),
  read({
    name: "plan",
    path: "/api/research/plans/{planId}",
    summary: "One plan as it was accepted, with its hypotheses, premises and materials resolved.",
    answer: experiments.plan,
  }),
  read({
    name: "attempts",
    path: "/api/research/attempts",
    summary:
      "Attempts with their outcomes, by id; label needs roomId. With order=label, within a Room or an experiment, " +
      "they are in the order of registration, and after is a number. As csv and jsonl the list is whole, " +
      "unless limit is given. With findingVersionId each item says how that finding names it: " +
      "producing, baseline or evidence only.",
    parameters: {
      experimentId: v.exactOptional(subject("experiment")),
      roomId,
      findingVersionId: v.exactOptional(subject("finding")),
      status: v.exactOptional(oneOf(enumerations.attemptStatus)),
      intent: v.exactOptional(oneOf(enumerations.attemptIntent)),
      label: v.exactOptional(labelPattern("attempt")),
      agent: v.exactOptional(agentName),
      order: v.exactOptional(oneOf(["id", "label"])),
    },
    cursor: "uuid",
    answer: page(attempts.attemptSummary),
    formats: files,
  }),
  read({
    name: "room_ledger",
    path: "/api/research/rooms/{roomId}/ledger",
    summary:
      "Who ran what and what came of it, a line an attempt, in the order of registration: agent, command, settings, " +
      "seeds, findings that name it with their verdicts, what it reproduces and with which verdict.",
    parameters: {
      experimentId: v.exactOptional(subject("experiment")),
      findingVersionId: v.exactOptional(subject("finding")),
      status: v.exactOptional(oneOf(enumerations.attemptStatus)),
      intent: v.exactOptional(oneOf(enumerations.attemptIntent)),
      agent: v.exactOptional(agentName),
    },
    cursor: "sequence",
    pageItems: limits.ledgerRuns,
    answer: page(attempts.runRow),
  }),
  read({
    name: "attempt",
    path: "/api/research/attempts/{attemptId}",
    summary:
      "One attempt: its registration, how it compares with its plan, events with both clocks, inputs, " +
      "outputs and last metrics.",
    answer: attempts.attempt,
  }),
  read({
    name: "attempt_metrics",
    path: "/api/research/attempts/{attemptId}/metrics",
    summary:
      "Every point of an attempt's metrics in the order reported: as columns, or as a table in markdown; " +
      "as csv and jsonl all of them, unless limit is given.",
    parameters: { metric: v.exactOptional(plain(limits.name)) },
    cursor: "sequence",
    pageItems: limits.metricPoints,
    answer: attempts.metricColumns,
    formats: { ...files, ...markdown },
  }),
  read({
    name: "attempt_log",
    path: "/api/research/attempts/{attemptId}/log",
    summary:
      "What the program of an attempt printed, as text or as numbered lines, without escape sequences: " +
      "from a line on, its last lines (tail), or the lines that contain a text (grep). digest reads an earlier log.",
    parameters: logParameters,
    refusals: ["unknown_log"],
    costly: true,
    answer: attempts.logPage,
    formats: plainText,
  }),
  read({
    name: "attempt_session",
    path: "/api/research/attempts/{attemptId}/session",
    summary: "The session of the agent that ran an attempt, read as its log is.",
    parameters: logParameters,
    refusals: ["unknown_log"],
    costly: true,
    answer: attempts.logPage,
    formats: plainText,
  }),
  read({
    name: "room_materials",
    path: "/api/research/rooms/{roomId}/materials",
    summary: "The materials that a Room registered: its own, and those labelled by another Room.",
    cursor: "uuid",
    answer: page(experiments.materialSummary),
  }),
  read({
    name: "materials",
    path: "/api/research/materials",
    summary: "Materials of every Room; valuesDigest finds those with the same values.",
    parameters: { valuesDigest: v.exactOptional(digest) },
    cursor: "uuid",
    answer: page(experiments.materialSummary),
  }),
  read({
    name: "material",
    path: "/api/research/materials/{materialId}",
    summary: "One material: its reference, the reports of its locations, and which attempts and plans use it.",
    answer: experiments.material,
  }),
] as const
