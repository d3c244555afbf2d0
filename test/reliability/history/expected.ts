/** The expected receipt of a write accepted at one place: the next label, sequences, revision and status. */
import { same } from "./content.ts"
import type { Receipt, Write } from "./history.ts"
import type { Model } from "./model.ts"
import { prefixes, stepOf } from "./state.ts"

/** The expected values of a receipt. */
function expected(model: Model, at: number, { operation, person, params, body }: Write) {
  const { truth, experiments, attempts, threads, records, labels } = model
  const experiment = experiments.at(at, body.experimentId)
  const attempt = attempts.at(at, body.attemptId)
  const target = records.at(at, body.targetVersionId)
  const isProposal = operation === "propose_experiment"
  const ofExperiment =
    isProposal ||
    (experiment !== undefined &&
      (operation === "accept_plan" || operation.endsWith("_experiment") || operation.endsWith("_status")))
  const event = String(body.event)
  const threadId =
    operation === "create_thread" || operation === "archive_room" || operation === "restore_room"
      ? null
      : String(params.threadId ?? experiment?.threadId ?? attempt?.threadId ?? target?.threadId ?? body.threadId)
  const prefix = prefixes[operation]
  const label =
    prefix === undefined
      ? operation === "reuse_record"
        ? (records.at(at, body.versionId)?.label ?? null)
        : operation === "link_experiment_finding"
          ? null
          : ((operation === "report_attempt_event" ? attempt?.label : experiment?.label) ?? null)
      : `${prefix}${(labels.get(prefix)?.countAt(at) ?? 0) + 1}`
  return {
    sequence: at + 1,
    roomId: truth.roomId,
    label,
    ...(threadId !== null && { threadId, entry: (threads.at(at, threadId)?.watermark ?? 0) + 1 }),
    ...(operation === "create_thread" && { entry: 1 }),
    ...(ofExperiment && {
      revision: (experiment?.revision ?? 0) + 1,
      status: stepOf(operation, person, body).status ?? experiment?.status ?? "open",
    }),
    ...(operation === "register_attempt" && { revision: 1, status: "registered" }),
    ...(operation === "report_attempt_event" &&
      attempt !== undefined && {
        revision: attempt.revision + 1,
        status: event === "progress" ? attempt.status : event,
      }),
    ...(operation === "take_experiment" && { assigneeId: person }),
  }
}

/** How a receipt differs from the expected one; null if it matches. */
export function receiptFault(model: Model, at: number, write: Write, receipt: Receipt): string | null {
  const told: Readonly<Record<string, unknown>> = expected(model, at, write)
  const { revision, status, assigneeId } = receipt.result
  const said: Readonly<Record<string, unknown>> = {
    sequence: receipt.activity?.sequence,
    roomId: receipt.roomId,
    label: receipt.target.label,
    threadId: receipt.threadId,
    entry: receipt.entry?.sequence,
    revision,
    status,
    assigneeId,
  }
  const different = Object.keys(told).filter((member) => !same(told[member], said[member]))
  return different.length === 0
    ? null
    : different.map((member) => `${member} is ${said[member]}, not ${told[member]}`).join("; ")
}
