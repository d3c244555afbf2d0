/** The refusals for callers who may not do something, and for Rooms that accept nothing. */
import type { RefusalSpecOf } from "./spec.ts"

export const refusalsOfAccess = {
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
