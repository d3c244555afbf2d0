/** The refusals for objects that do not exist, and for routes that are not served. */
import { type RefusalSpecOf, unknown } from "./spec.ts"

export const refusalsOfAbsence = {
  unknown_experiment: unknown("No experiment has this id.", "Check the id against the list of experiments."),
  unknown_plan: unknown("No accepted plan has this id.", "Check the id against the experiment's plans."),
  unknown_board: unknown("No board has this id.", "Check the id against the Room's boards."),
  unknown_attempt: unknown(
    "No attempt has this id.",
    "Check the id against the list of attempts; an attempt is registered before its events.",
  ),
  unknown_record: unknown("No record has this version id.", "Check the id: it is a version id, not a label."),
  unknown_material: unknown(
    "No material has this id.",
    "Check the id against the list of materials; register the material first.",
  ),
  unknown_link: unknown("No link has this id.", "Check the id against the list of links."),
  unknown_claim: unknown(
    "No claim on work has this id.",
    "Take the id from the receipt of claim_work, or from the brief.",
  ),
  unknown_figure: unknown(
    "No picture with this digest is named in public research.",
    "Take the digest from the figures of a message, finding, outcome or checkpoint.",
  ),
  unknown_log: unknown(
    "The attempt has no such log: none was reported, or it was withheld.",
    "Take the digest from the attempt's events; its registrant reports a log with report_attempt_event.",
  ),
  unknown_receipt: unknown(
    "The caller has no receipt under this operation and id: nothing was stored for it.",
    "Send the write, with the same id and body.",
  ),
  unknown_operation: {
    status: [404],
    when: ["route"],
    meaning: "The path names no operation or read of this service.",
    remedy: "Take paths from the manifest only.",
  },
  method_not_allowed: {
    status: [405],
    when: ["route", "http"],
    meaning: "The path exists, but not with this method; the Allow header lists the methods it accepts.",
    remedy: "Use a method that Allow lists.",
  },
} as const satisfies Record<string, RefusalSpecOf>
