/**
 * The refusals of every surface: what causes each of them, and what a client does about it. One is thrown below the
 * edge and rendered at the edge. Also reads the code and the message of anything else that was thrown.
 */
import type { JsonObject } from "./json.ts"
import { type Family, schemaVersions } from "./service.ts"
import { limits } from "./limits.ts"
import { inDigits } from "./text.ts"
import { each, isKeyOf, keysOf } from "./typed.ts"

/**
 * The property of a request that can cause a refusal. `any`: every route. `http`: every path, before its route is
 * looked up. `route`: a path or method that is not served. `origin`, `caller`, `membership`: the route checks where a
 * request comes from, who sends it, whether they are a member of the Room. `permission`, `scope`, `role`: what the
 * credential or the person may do. `body`, `query`: what the request contains. `delivery`: it is a write with a
 * delivery id. `reference`: the body names exact objects. `expectation`: it has expected values. `assignment`: it is a
 * step in the table of experiment states. `subject`: the path has an id with no other code. A code without any
 * circumstance occurs only where a definition lists it.
 */
export type Circumstance =
  | "any"
  | "http"
  | "route"
  | "origin"
  | "caller"
  | "membership"
  | "permission"
  | "scope"
  | "role"
  | "body"
  | "query"
  | "delivery"
  | "reference"
  | "expectation"
  | "assignment"
  | "subject"

interface RefusalSpecOf<Code extends string = string> {
  readonly status: readonly [number, ...number[]]
  /** Whether the same request may be sent again unchanged. Default: no. */
  readonly retryable?: boolean
  readonly when?: readonly Circumstance[]
  /** The code of the Library for it, from its own short table. Default: the same code. */
  readonly library?: Code
  readonly meaning: string
  /** What a client does about it. */
  readonly remedy: string
}

/** The refusal for an object that does not exist. */
const unknown = (meaning: string, remedy: string): RefusalSpecOf<never> => ({ status: [404], meaning, remedy })

// The refusals for objects that do not exist, and for routes that are not served.

const refusalsOfAbsence = {
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

// The refusals for callers who may not do something, and for Rooms that accept nothing.

const refusalsOfAccess = {
  not_authenticated: {
    status: [401],
    when: ["caller"],
    library: "not_authorized",
    meaning:
      "The credential or session is missing, unknown, mistyped, expired, revoked, or of the wrong kind for this route.",
    remedy: "Stop and ask the person who issued the credential for a new one; for browser routes, sign in.",
  },
  browser_origin: {
    status: [403],
    when: ["origin"],
    meaning: "An agent route was called with an Origin header, or a browser route without the service's own Origin.",
    remedy: "As an agent, leave the Origin header out.",
  },
  not_a_member: {
    status: [403],
    when: ["membership"],
    meaning: "The caller is not a member of the Room.",
    remedy: "Only the Room's owner can change that; do not retry.",
  },
  permission_missing: {
    status: [403],
    when: ["permission"],
    library: "not_authorized",
    meaning: "The credential lacks a permission; current.needed names what the operation needs.",
    remedy: "Ask for a credential with the permissions named in current.needed.",
  },
  scope_missing: {
    status: [403],
    when: ["scope"],
    meaning: "The credential belongs to another Room, or is limited to Threads in which this object did not originate.",
    remedy: "Work in the credential's own Room and Threads; its identity names them.",
  },
  role_required: {
    status: [403],
    when: ["role"],
    library: "not_authorized",
    meaning: "The operation requires a role that the caller does not have; current.needed names it.",
    remedy: "Leave it to the person who has that role.",
  },
  room_archived: {
    status: [403],
    meaning:
      "The Room is archived and admits no new work on Thread, message and publication routes; " +
      "current.room says when and why.",
    remedy: "Read, cite, and do not retry.",
  },
  room_mirrored: {
    status: [403, 404],
    meaning:
      "The Room belongs to another instance and admits no writes here; current.room.origin says where it comes " +
      "from, and up to which entry.",
    remedy: "Read and cite it here; write to it at its origin.",
  },
  room_unavailable: {
    status: [404],
    when: ["subject"],
    library: "unknown_object",
    meaning:
      "No such Room, Thread or other object, or (with current.room) the Room is archived and admits no new " +
      "research work.",
    remedy: "With current.room, read and do not retry; otherwise check the id.",
  },
} as const satisfies Record<string, RefusalSpecOf>

// The refusals for writes that conflict with an earlier delivery or with a changed state.

const refusalsOfConflict = {
  request_conflict: {
    status: [409],
    when: ["delivery"],
    meaning: "The delivery id was used before with other content.",
    remedy: "If this is a new contribution, give it a new id; if it is a retry, send exactly what was sent first.",
  },
  state_conflict: {
    status: [409],
    when: ["expectation"],
    meaning: "The state changed since it was read; current holds the present state.",
    remedy: "Read current, decide again, and send a new id with fresh expectations; keep the draft.",
  },
  assignment_conflict: {
    status: [409],
    when: ["assignment"],
    meaning: "Someone else holds the experiment, or nobody does and the assignee must act; current holds its state.",
    remedy: "Read current and choose other work, or wait for a release; keep the draft.",
  },
  experiment_not_open: {
    status: [409],
    when: ["assignment"],
    meaning: "The experiment's state does not allow this step; current holds its state.",
    remedy: "Read current and choose a step that its state allows.",
  },
  thread_exists: {
    status: [409],
    meaning:
      "Another Thread already follows the same card; current names it. allowDuplicate starts a second one on purpose.",
    remedy: "Post in the Thread that current names.",
  },
  link_exists: {
    status: [409],
    meaning: "The same member has already asserted the same kind of link on this target; current holds it.",
    remedy: "Read the link in current; if its kind allows several, add one with another explanation.",
  },
  attempt_exists: {
    status: [409],
    meaning: "The attemptId was used before; every execution needs a fresh one.",
    remedy: "Make a new attemptId for a new execution.",
  },
} as const satisfies Record<string, RefusalSpecOf>

// The refusals for malformed requests, and for requests that the service cannot accept now.

const refusalsOfForm = {
  request_too_large: {
    status: [413],
    when: ["body"],
    meaning: `The request body is over ${inDigits(limits.requestBodyBytes)} bytes; it was not read to the end.`,
    remedy: "Send less; put large outputs where they can be fetched, and cite them by digest.",
  },
  content_too_large: {
    status: [413],
    when: ["delivery"],
    library: "request_too_large",
    meaning: `The accepted content would be over ${inDigits(limits.contentBytes)} bytes of canonical JSON.`,
    remedy: "Shorten it, or split it into several contributions.",
  },
  not_json: {
    status: [415],
    when: ["body"],
    meaning: "The Content-Type is not application/json, or the body has a Content-Encoding.",
    remedy: "Send Content-Type: application/json, in UTF-8 and uncompressed.",
  },
  wrong_host: {
    status: [421],
    when: ["any"],
    meaning: "The Host header names neither a loopback name nor the configured base URL.",
    remedy: "Use the base URL; the operator sets it when the service starts.",
  },
  invalid_schema: {
    status: [422],
    when: ["body"],
    library: "invalid_request",
    meaning: "The body breaks its schema; issues lists every violation by path.",
    remedy: "Correct every path that issues names; the id may stay, because nothing was stored.",
  },
  invalid_parameter: {
    status: [422],
    when: ["query"],
    library: "invalid_request",
    meaning: "A query parameter or cursor is unknown or malformed; issues names it.",
    remedy: "Correct the parameter that issues names; restart the list if its cursor is refused.",
  },
  past_too_large: {
    status: [422],
    meaning:
      "To answer as of that entry, the service would have to replay more writes, of the Room and of the Rooms it " +
      "cites, than its limits allow.",
    remedy: "Leave at out, or give an earlier entry; the activity feed shows what was written when.",
  },
  unknown_reference: {
    status: [422],
    when: ["reference"],
    library: "invalid_request",
    meaning: "The body refers to an exact object that does not exist here; issues names the path.",
    remedy: "Look up the right id, or publish the object first.",
  },
  repository_unavailable: {
    status: [422, 503],
    retryable: true,
    meaning:
      "422: the repository is not public or the full commit does not resolve. 503: it could not be checked now; " +
      "retryAfter says when to try again.",
    remedy:
      "On 422, publish the repository or correct the commit; on 503, wait retryAfter seconds and send the same " +
      "request.",
  },
  malformed_request: {
    status: [400, 417, 431],
    when: ["http"],
    meaning:
      "The request cannot be read as HTTP: 400 malformed, 417 an expectation that cannot be met, 431 the address " +
      "or headers are too long.",
    remedy:
      "Send well-formed HTTP/1.1 with one Host and a short address; the program that sent the request is at fault.",
  },
  request_timeout: {
    status: [408],
    retryable: true,
    when: ["http"],
    meaning: "The whole request did not arrive in time; none of it was processed.",
    remedy: "Send the same request again, without pauses.",
  },
  too_many_requests: {
    status: [429],
    retryable: true,
    when: ["any"],
    meaning:
      "Too many attempts or requests, from one address or by one caller (see limits); " +
      "retryAfter says when the next one is accepted.",
    remedy: "Wait retryAfter seconds, then send the same request again.",
  },
  temporarily_unavailable: {
    status: [503],
    retryable: true,
    when: ["any"],
    meaning:
      "The service could not finish; with committed null, delivery is uncertain: " +
      "keep the id and the body and send them again.",
    remedy: "Wait retryAfter seconds, then send the same id, body and credential again.",
  },
} as const satisfies Record<string, RefusalSpecOf>

// The refusals that only the Library gives.

const refusalsOfLibrary = {
  not_authorized: {
    status: [401, 403],
    meaning:
      "401: the personal key is missing, unknown, expired or revoked, or it is a Room credential. 403: " +
      "the key lacks the permission that current.needed names, its reach excludes the Library, or only the owner " +
      "of the Collection may do it.",
    remedy: "On 401, stop and ask the person for a new key; on 403, ask for one that has what current.needed names.",
  },
  unknown_collection: unknown(
    "No such Collection is in reach.",
    "Take the id from the list of Collections; a Collection out of reach is refused as if it did not exist.",
  ),
  unknown_paper: unknown(
    "The Collection does not hold the paper, or no such paper is in reach.",
    "Check the paperId, and add the paper to the Collection first.",
  ),
  unknown_object: unknown(
    "You have no such note, highlight, invitation, member or key; browser routes only.",
    "Read the list again: the object may have been deleted.",
  ),
  thread_has_notes: {
    status: [409],
    meaning:
      "A paper cannot be removed from a Collection while there are notes on it there; current.notes counts them.",
    remedy: "Leave the paper there, or ask the people who wrote the notes to delete them.",
  },
  limit_reached: {
    status: [409],
    meaning: "A limit was reached, which current.limit names; nothing of the batch was written.",
    remedy: "File fewer papers, or file them elsewhere; a retry meets the same limit.",
  },
  invalid_request: {
    status: [422],
    meaning:
      "The body or a query parameter does not match its schema, or names something that does not exist here; " +
      "issues lists every fault by path.",
    remedy: "Correct every path that issues names; the id may stay, because nothing was stored.",
  },
} as const satisfies Record<string, RefusalSpecOf>

const table = {
  ...refusalsOfAccess,
  ...refusalsOfAbsence,
  ...refusalsOfConflict,
  ...refusalsOfForm,
  ...refusalsOfLibrary,
} as const

export type RefusalCode = keyof typeof table
export interface RefusalSpec extends RefusalSpecOf<RefusalCode> {
  readonly retryable: boolean
  /** The only family in which it occurs. */
  readonly family?: Family
}
/** Every refusal. Those of the Library come last. */
export const refusals: Readonly<Record<RefusalCode, RefusalSpec>> = each(keysOf(table), (code) => ({
  retryable: false,
  ...(isKeyOf(refusalsOfLibrary, code) && { family: "library" }),
  ...table[code],
}))
export const refusalCodes = keysOf(refusals)

/** The code that a family uses for a refusal. */
export const codeIn = (code: RefusalCode, family: Family): RefusalCode =>
  family === "library" ? (refusals[code].library ?? code) : code

// One refusal, as it is thrown.

/** One violation: its place (a JSON Pointer), and a sentence about it. */
export interface Issue {
  path: string
  message: string
}

export interface RefusalDetails {
  /** Needed only for codes with more than one status. */
  status?: number
  current?: JsonObject
  issues?: Issue[]
  /** In seconds; null if unknown. */
  retryAfter?: number
  /** null: it is unknown whether something was stored. */
  committed?: false | null
  /** Headers of the answer, such as Allow. */
  headers?: Record<string, string>
  /** The internal error, only for the log. */
  cause?: Error
}

/** A request that is answered with a refusal. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: RefusalCode
  readonly details: RefusalDetails

  /** @param sentence what happened and what to do, for a person */
  constructor(code: RefusalCode, sentence: string, details: RefusalDetails = {}) {
    super(sentence, { cause: details.cause })
    this.code = code
    this.details = details
  }

  get status(): number {
    return this.details.status ?? refusals[this.code].status[0]
  }

  get retryable(): boolean {
    return refusals[this.code].retryable && this.status !== 422
  }

  /** The refusal envelope of the interface, with the code of the family that answers. */
  envelope(family: Family): JsonObject {
    const { current, issues, retryAfter, committed } = this.details
    return {
      schemaVersion: schemaVersions[family],
      error: this.message,
      refusal: codeIn(this.code, family),
      committed: committed === undefined ? false : committed,
      retryable: this.retryable,
      retryAfter: retryAfter ?? null,
      current: current ?? null,
      issues: (issues ?? []).map((issue) => ({ ...issue })),
    }
  }
}

/** Refuses a query parameter. @param message what the parameter must be, without its name */
export const badParameter = (name: string, message: string): Refusal =>
  new Refusal("invalid_parameter", `A query parameter is wrong: ${name} ${message}.`, {
    issues: [{ path: `/${name}`, message }],
  })

/** Refuses a query parameter in a sentence that begins with its name. @param path its JSON Pointer */
export const wrongParameter = (path: string, message: string): Refusal =>
  new Refusal("invalid_parameter", `${path.slice(1)} ${message}.`, { issues: [{ path, message }] })

// What else was thrown.

/** The command failed. The message is one sentence for the user; the exit code is 1. */
export class FailedError extends Error {
  override readonly name: string = "FailedError"
}

/** The code of a system or database error; empty if it has none. */
export const codeOf = (fault: unknown): string =>
  typeof fault === "object" && fault !== null && "code" in fault && typeof fault.code === "string" ? fault.code : ""

/** Whether a disk had no space left. */
export const isFull = (fault: unknown): boolean => ["SQLITE_FULL", "ENOSPC", "EDQUOT"].includes(codeOf(fault))

export const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))
