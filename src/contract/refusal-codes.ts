/** The refusals of every surface: what brings each of them about, and what a client does about it. */
import { keysOf } from "./each.ts"
import { limits } from "./limits.ts"
import type { Family } from "./versions.ts"

/**
 * What about a request can bring a refusal about. `any`: every route. `http`: every path, before its route is looked at.
 * `route`: a path or method that is not served.
 * `origin`, `caller`, `membership`: the route looks at where a request comes from, who sends it, whether they belong to the Room.
 * `permission`, `scope`, `role`: what the credential or the person may do. `body`, `query`: what is sent with the request.
 * `delivery`: it is a write with a delivery id. `reference`: the body names exact objects. `expectation`: it carries expected values.
 * `assignment`: it is a step in the table of experiment states.
 * `subject`: the path has an id that no other code speaks of. A code without any comes where a definition lists it.
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

interface Spec<Code extends string = string> {
  readonly status: readonly [number, ...number[]]
  /** Whether the same request may be sent again as it is. */
  readonly retryable: boolean
  readonly when?: readonly Circumstance[]
  /** What the Library calls it, in the few words of its own table; left out, the same. */
  readonly library?: Code
  /** Where it alone occurs. */
  readonly family?: Family
  readonly meaning: string
  /** What a client does about it. */
  readonly remedy: string
}

const inWords = (count: number) => count.toLocaleString("en")

const table = {
  not_authenticated: {
    status: [401],
    retryable: false,
    when: ["caller"],
    library: "not_authorized",
    meaning: "The credential or session is missing, unknown, mistyped, expired, revoked, or of the wrong kind for this route.",
    remedy: "Stop and ask the person who issued the credential for a new one; for browser routes, sign in.",
  },
  browser_origin: {
    status: [403],
    retryable: false,
    when: ["origin"],
    meaning: "An agent route was called with an Origin header, or a browser route without the service's own Origin.",
    remedy: "As an agent, leave the Origin header out.",
  },
  not_a_member: {
    status: [403],
    retryable: false,
    when: ["membership"],
    meaning: "The caller is not a member of the Room.",
    remedy: "Only the Room's owner can change that; do not retry.",
  },
  permission_missing: {
    status: [403],
    retryable: false,
    when: ["permission"],
    library: "not_authorized",
    meaning: "The credential lacks a permission; current.needed names what the operation needs.",
    remedy: "Ask for a credential with the permissions named in current.needed.",
  },
  scope_missing: {
    status: [403],
    retryable: false,
    when: ["scope"],
    meaning: "The credential belongs to another Room, or is limited to Threads in which this object did not originate.",
    remedy: "Work in the credential's own Room and Threads; its identity names them.",
  },
  role_required: {
    status: [403],
    retryable: false,
    when: ["role"],
    library: "not_authorized",
    meaning: "The operation asks for a role the caller does not have; current.needed names it.",
    remedy: "Leave it to the person who has that role.",
  },
  room_archived: {
    status: [403],
    retryable: false,
    meaning: "The Room is archived and admits no new work on Thread, message and publication routes; current.room tells when and why.",
    remedy: "Read, cite, and do not retry.",
  },
  room_mirrored: {
    status: [403, 404],
    retryable: false,
    meaning:
      "The Room is of another instance and admits no writes here; current.room.origin tells where it comes from, and through which entry.",
    remedy: "Read and cite it here; write to it at its origin.",
  },
  room_unavailable: {
    status: [404],
    retryable: false,
    when: ["subject"],
    library: "unknown_object",
    meaning: "No such Room, Thread or other object, or (with current.room) the Room is archived and admits no new research work.",
    remedy: "With current.room, read and do not retry; otherwise check the id.",
  },
  unknown_experiment: {
    status: [404],
    retryable: false,
    meaning: "No experiment has this id.",
    remedy: "Check the id against the list of experiments.",
  },
  unknown_plan: {
    status: [404],
    retryable: false,
    meaning: "No accepted plan has this id.",
    remedy: "Check the id against the experiment's plans.",
  },
  unknown_attempt: {
    status: [404],
    retryable: false,
    meaning: "No attempt has this id.",
    remedy: "Check the id against the list of attempts; an attempt is registered before its events.",
  },
  unknown_record: {
    status: [404],
    retryable: false,
    meaning: "No record has this version id.",
    remedy: "Check the id: it is a version id, not a label.",
  },
  unknown_material: {
    status: [404],
    retryable: false,
    meaning: "No material has this id.",
    remedy: "Check the id against the list of materials; register the material first.",
  },
  unknown_link: {
    status: [404],
    retryable: false,
    meaning: "No link has this id.",
    remedy: "Check the id against the list of links.",
  },
  unknown_receipt: {
    status: [404],
    retryable: false,
    meaning: "The caller has no receipt under this operation and id: nothing was stored for it.",
    remedy: "Send the write, with the same id and body.",
  },
  unknown_operation: {
    status: [404],
    retryable: false,
    when: ["route"],
    meaning: "The path names no operation or read of this service.",
    remedy: "Take paths from the manifest only.",
  },
  method_not_allowed: {
    status: [405],
    retryable: false,
    when: ["route", "http"],
    meaning: "The path exists, but not with this method; the Allow header lists those it takes.",
    remedy: "Use a method that Allow lists.",
  },
  request_conflict: {
    status: [409],
    retryable: false,
    when: ["delivery"],
    meaning: "The delivery id was used before with other content.",
    remedy: "If this is a new contribution, give it a new id; if it is a retry, send exactly what was sent first.",
  },
  state_conflict: {
    status: [409],
    retryable: false,
    when: ["expectation"],
    meaning: "The state moved since it was read; current holds it as it is now.",
    remedy: "Read current, decide again, and send a new id with fresh expectations; keep the draft.",
  },
  assignment_conflict: {
    status: [409],
    retryable: false,
    when: ["assignment"],
    meaning: "The experiment is held by someone else, or by nobody where the assignee must act; current holds its state.",
    remedy: "Read current and choose other work, or wait for a release; keep the draft.",
  },
  experiment_not_open: {
    status: [409],
    retryable: false,
    when: ["assignment"],
    meaning: "The experiment is not open to this step; current holds its state.",
    remedy: "Read current and choose a step its state allows.",
  },
  thread_exists: {
    status: [409],
    retryable: false,
    meaning: "Another Thread follows the same card already; current names it. allowDuplicate starts a second one on purpose.",
    remedy: "Post in the Thread that current names.",
  },
  link_exists: {
    status: [409],
    retryable: false,
    meaning: "The same member asserted the same kind of link on this target already; current holds it.",
    remedy: "Read the link that current names; say more only with another explanation, where the kind of link allows several.",
  },
  attempt_exists: {
    status: [409],
    retryable: false,
    meaning: "The attemptId was used before; every execution needs a fresh one.",
    remedy: "Make a new attemptId for a new execution.",
  },
  request_too_large: {
    status: [413],
    retryable: false,
    when: ["body"],
    meaning: `The request body is over ${inWords(limits.requestBodyBytes)} bytes; it was not read to its end.`,
    remedy: "Send less; put large outputs where they can be fetched, and cite them by digest.",
  },
  content_too_large: {
    status: [413],
    retryable: false,
    when: ["delivery"],
    library: "request_too_large",
    meaning: `The accepted content would be over ${inWords(limits.contentBytes)} bytes of canonical JSON.`,
    remedy: "Shorten it, or split it into several contributions.",
  },
  not_json: {
    status: [415],
    retryable: false,
    when: ["body"],
    meaning: "The body is not sent as application/json, or it is sent in a Content-Encoding.",
    remedy: "Send Content-Type: application/json, in UTF-8 and not compressed.",
  },
  wrong_host: {
    status: [421],
    retryable: false,
    when: ["any"],
    meaning: "The Host header names neither a loopback name nor the configured base URL.",
    remedy: "Use the base URL; the operator sets it when the service starts.",
  },
  invalid_schema: {
    status: [422],
    retryable: false,
    when: ["body"],
    library: "invalid_request",
    meaning: "The body breaks its schema; issues lists every violation by path.",
    remedy: "Correct every path that issues names; the id may stay, for nothing was stored.",
  },
  invalid_parameter: {
    status: [422],
    retryable: false,
    when: ["query"],
    library: "invalid_request",
    meaning: "A query parameter or cursor is unknown or malformed; issues names it.",
    remedy: "Correct the parameter that issues names; start a traversal anew when its cursor is refused.",
  },
  past_too_large: {
    status: [422],
    retryable: false,
    meaning:
      "What has to be done again to answer as of that entry, the Room's history up to it and that of Rooms bound to it by what they cite, is over the service's limits.",
    remedy: "Ask without at, or as of an earlier entry; the activity feed tells what was written when.",
  },
  unknown_reference: {
    status: [422],
    retryable: false,
    when: ["reference"],
    library: "invalid_request",
    meaning: "The body refers to an exact object that does not exist here; issues names the path.",
    remedy: "Look up the right id, or publish the object first.",
  },
  repository_unavailable: {
    status: [422, 503],
    retryable: true,
    meaning:
      "422: the repository is not public or the full commit does not resolve. 503: it could not be checked now; retryAfter tells when to try again.",
    remedy: "On 422, publish the repository or correct the commit; on 503, wait retryAfter seconds and send the same request.",
  },
  malformed_request: {
    status: [400, 417, 431],
    retryable: false,
    when: ["http"],
    meaning: "The request cannot be read as HTTP: 400 malformed, 417 an expectation that is not met, 431 address or headers too long.",
    remedy: "Send well-formed HTTP/1.1 with one Host and a short address; what sent this is at fault.",
  },
  request_timeout: {
    status: [408],
    retryable: true,
    when: ["http"],
    meaning: "The request did not arrive whole in time; nothing of it was looked at.",
    remedy: "Send the same request again, without pausing in it.",
  },
  too_many_requests: {
    status: [429],
    retryable: true,
    when: ["any"],
    meaning: "Too many tries or requests, from one address or by one caller (see limits); retryAfter tells when the next one is taken.",
    remedy: "Wait retryAfter seconds, then send the same request again.",
  },
  temporarily_unavailable: {
    status: [503],
    retryable: true,
    when: ["any"],
    meaning: "The service could not finish; with committed null, delivery is uncertain: keep the id and the body and send them again.",
    remedy: "Wait retryAfter seconds, then send the same id, body and credential again.",
  },

  not_authorized: {
    status: [401, 403],
    retryable: false,
    family: "library",
    meaning:
      "401: the personal key is missing, unknown, expired or revoked, or it is a Room credential. 403: the key lacks the permission that current.needed names, its reach leaves the Library out, or only the owner of the Collection may do it.",
    remedy: "On 401, stop and ask the person for a new key; on 403, ask for one that has what current.needed names.",
  },
  unknown_collection: {
    status: [404],
    retryable: false,
    family: "library",
    meaning: "No such Collection in reach.",
    remedy: "Take the id from the list of Collections; what is out of reach answers as what does not exist.",
  },
  unknown_paper: {
    status: [404],
    retryable: false,
    family: "library",
    meaning: "The Collection does not hold the paper, or no such paper is in reach.",
    remedy: "Check the arXiv id, and add the paper to the Collection first.",
  },
  unknown_object: {
    status: [404],
    retryable: false,
    family: "library",
    meaning: "No such note, highlight, invitation, member or key of one's own; browser routes only.",
    remedy: "Read the list again: it may be gone since.",
  },
  thread_has_notes: {
    status: [409],
    retryable: false,
    family: "library",
    meaning: "The paper stays in the Collection while its thread holds a note; current.notes counts them.",
    remedy: "Leave it, or ask the people who wrote the notes to delete them.",
  },
  limit_reached: {
    status: [409],
    retryable: false,
    family: "library",
    meaning: "A cap was met, which current.limit names; nothing of the batch was written.",
    remedy: "File less, or elsewhere; a retry meets the same cap.",
  },
  invalid_request: {
    status: [422],
    retryable: false,
    family: "library",
    meaning:
      "The body or a query parameter does not match its schema, or names something that does not exist here; issues lists every fault by path.",
    remedy: "Correct every path that issues names; the id may stay, for nothing was stored.",
  },
} as const satisfies Record<string, Spec>

export type RefusalCode = keyof typeof table
export type RefusalSpec = Spec<RefusalCode>
/** Every refusal. Those of the Library stand at the end. */
export const refusals: Readonly<Record<RefusalCode, RefusalSpec>> = table
export const refusalCodes = keysOf(refusals)

/** The code under which a family tells a refusal. */
export const codeIn = (code: RefusalCode, family: Family): RefusalCode => (family === "library" ? (refusals[code].library ?? code) : code)
