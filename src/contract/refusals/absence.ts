/** The refusals for objects that do not exist, and for routes that are not served. */
import type { RefusalSpecOf } from "./spec.ts"

export const refusalsOfAbsence = {
  unknown_experiment: {
    status: [404],
    meaning: "No experiment has this id.",
    remedy: "Check the id against the list of experiments.",
  },
  unknown_plan: {
    status: [404],
    meaning: "No accepted plan has this id.",
    remedy: "Check the id against the experiment's plans.",
  },
  unknown_board: {
    status: [404],
    meaning: "No board has this id.",
    remedy: "Check the id against the Room's boards.",
  },
  unknown_attempt: {
    status: [404],
    meaning: "No attempt has this id.",
    remedy: "Check the id against the list of attempts; an attempt is registered before its events.",
  },
  unknown_record: {
    status: [404],
    meaning: "No record has this version id.",
    remedy: "Check the id: it is a version id, not a label.",
  },
  unknown_material: {
    status: [404],
    meaning: "No material has this id.",
    remedy: "Check the id against the list of materials; register the material first.",
  },
  unknown_link: {
    status: [404],
    meaning: "No link has this id.",
    remedy: "Check the id against the list of links.",
  },
  unknown_claim: {
    status: [404],
    meaning: "No claim on work has this id.",
    remedy: "Take the id from the receipt of claim_work, or from the brief.",
  },
  unknown_figure: {
    status: [404],
    meaning: "No picture with this digest is named in public research.",
    remedy: "Take the digest from the figures of a message, finding, outcome or checkpoint.",
  },
  unknown_receipt: {
    status: [404],
    meaning: "The caller has no receipt under this operation and id: nothing was stored for it.",
    remedy: "Send the write, with the same id and body.",
  },
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
