import type { JsonObject } from "./json.ts"

/** Every refusal of the research and browser surfaces: its status, whether the same request may be sent again, and what it says. */
export const refusals = {
  not_authenticated: { status: [401], retryable: false, meaning: "The credential or session is missing, unknown, mistyped, expired, revoked, or of the wrong kind for this route." },
  browser_origin: { status: [403], retryable: false, meaning: "An agent route was called with an Origin header, or a browser route without the service's own Origin." },
  not_a_member: { status: [403], retryable: false, meaning: "The caller is not a member of the Room." },
  permission_missing: { status: [403], retryable: false, meaning: "The credential lacks a permission; current.needed names what the operation needs." },
  scope_missing: { status: [403], retryable: false, meaning: "The credential belongs to another Room, or is limited to Threads in which this object did not originate." },
  role_required: { status: [403], retryable: false, meaning: "The operation asks for a role the caller does not have; current.needed names it." },
  room_archived: { status: [403], retryable: false, meaning: "The Room is archived and admits no new work on Thread, message and publication routes; current.room tells when and why." },
  room_unavailable: { status: [404], retryable: false, meaning: "No such Room, Thread or other object, or (with current.room) the Room is archived and admits no new research work." },
  unknown_experiment: { status: [404], retryable: false, meaning: "No experiment has this id." },
  unknown_plan: { status: [404], retryable: false, meaning: "No accepted plan has this id." },
  unknown_attempt: { status: [404], retryable: false, meaning: "No attempt has this id." },
  unknown_record: { status: [404], retryable: false, meaning: "No record has this version id." },
  unknown_material: { status: [404], retryable: false, meaning: "No material has this id." },
  unknown_link: { status: [404], retryable: false, meaning: "No link has this id." },
  unknown_receipt: { status: [404], retryable: false, meaning: "The caller has no receipt under this operation and id: nothing was stored for it." },
  unknown_operation: { status: [404], retryable: false, meaning: "The path names no operation or read of this service." },
  method_not_allowed: { status: [405], retryable: false, meaning: "The path exists, but not with this method; the Allow header lists those it takes." },
  request_conflict: { status: [409], retryable: false, meaning: "The delivery id was used before with other content." },
  state_conflict: { status: [409], retryable: false, meaning: "The state moved since it was read; current holds it as it is now." },
  assignment_conflict: { status: [409], retryable: false, meaning: "The experiment is held by someone else, or by nobody where the assignee must act; current holds its state." },
  experiment_not_open: { status: [409], retryable: false, meaning: "The experiment is not open to this step; current holds its state." },
  thread_exists: { status: [409], retryable: false, meaning: "Another Thread follows the same card already; current names it. allowDuplicate starts a second one on purpose." },
  link_exists: { status: [409], retryable: false, meaning: "The same member asserted the same kind of link on this target already; current holds it." },
  attempt_exists: { status: [409], retryable: false, meaning: "The attemptId was used before; every execution needs a fresh one." },
  request_too_large: { status: [413], retryable: false, meaning: "The request body is over 1 MiB; it was not read to its end." },
  content_too_large: { status: [413], retryable: false, meaning: "The accepted content would be over 60,000 bytes of canonical JSON." },
  not_json: { status: [415], retryable: false, meaning: "The body is not sent as application/json." },
  wrong_host: { status: [421], retryable: false, meaning: "The Host header names neither a loopback name nor the configured base URL." },
  invalid_schema: { status: [422], retryable: false, meaning: "The body breaks its schema; issues lists every violation by path." },
  invalid_parameter: { status: [422], retryable: false, meaning: "A query parameter or cursor is unknown or malformed; issues names it." },
  unknown_reference: { status: [422], retryable: false, meaning: "The body refers to an exact object that does not exist here; issues names the path." },
  repository_unavailable: { status: [422, 503], retryable: true, meaning: "422: the repository is not public or the full commit does not resolve. 503: it could not be checked now; retryAfter tells when to try again." },
  too_many_requests: { status: [429], retryable: true, meaning: "Too many tries; retryAfter tells when the next one is taken." },
  temporarily_unavailable: { status: [503], retryable: true, meaning: "The service could not finish; with committed null, delivery is uncertain: keep the id and the body and send them again." },
} as const satisfies Record<string, { status: readonly number[]; retryable: boolean; meaning: string }>

export type RefusalCode = keyof typeof refusals

/** One violation: where (a JSON Pointer) and what, as a sentence. */
export interface Issue {
  path: string
  message: string
}

export interface RefusalDetails {
  /** Needed only for the codes that stand for two statuses. */
  status?: number
  current?: JsonObject
  issues?: Issue[]
  /** Seconds; null when unknown. */
  retryAfter?: number
  /** null: whether something was stored is unknown. */
  committed?: false | null
  /** Header fields that go with the answer, such as Allow. */
  headers?: Record<string, string>
}

/** A request that is answered with a refusal. Thrown anywhere below the edge, rendered once at the edge. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: RefusalCode
  readonly details: RefusalDetails

  /** @param sentence what happened and what to do, for a person */
  constructor(code: RefusalCode, sentence: string, details: RefusalDetails = {}) {
    super(sentence)
    this.code = code
    this.details = details
  }

  get status(): number {
    return this.details.status ?? refusals[this.code].status[0]
  }

  get retryable(): boolean {
    return refusals[this.code].retryable && this.status !== 422
  }

  /** The refusal envelope of the interface. */
  envelope(schemaVersion: number): JsonObject {
    const { current, issues, retryAfter, committed } = this.details
    return {
      schemaVersion,
      error: this.message,
      refusal: this.code,
      committed: committed === undefined ? false : committed,
      retryable: this.retryable,
      retryAfter: retryAfter ?? null,
      current: current ?? null,
      issues: (issues ?? []).map((issue) => ({ ...issue })),
    }
  }
}
