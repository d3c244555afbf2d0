/** The reads of operators, with a line of the audit log. For everybody else these addresses do not exist. */
import * as v from "valibot"
import { shape, oneOf, plain } from "../schema/fields.ts"
import { auditKindNames } from "../audit-kinds.ts"
import { optionalFreeText, count, at, optionalText, id, freeText } from "../answers/fields.ts"
import { read } from "../definitions/read.ts"
import { schemaVersion, page, person } from "../answers/parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { credentialOfRoom } from "./credentials.ts"
import { personalKey } from "../library/reads.ts"
import { limits } from "../limits.ts"

// The audit log holds events about people, access and operators.

const shownPerson = shape({ userId: v.string(), username: v.string() })

/** A line of the log as it is answered. It never contains a secret. */
const auditEntry = shape({
  sequence: v.number(),
  at: v.string(),
  kind: oneOf(auditKindNames),
  /** Who did it, if they had signed in; for a command, the person it acted for. */
  by: v.nullable(shownPerson),
  /** The command that did it, and the machine's account that ran it; null if it was done over HTTP. */
  command: v.nullable(shape({ name: v.string(), account: v.string() })),
  subject: v.nullable(shape({ kind: v.string(), id: v.string(), name: optionalFreeText })),
  roomId: v.nullable(v.string()),
  /** The address that the request is counted under; for IPv6, a whole network. */
  address: v.nullable(v.string()),
  detail: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()])),
})
export type AuditEntry = v.InferOutput<typeof auditEntry>

const forOperators = { surface: "operator", refusals: ["unknown_operation"] } as const

export const administrationReads = [
  read({
    name: "admin_overview",
    ...forOperators,
    path: "/api/admin/overview",
    summary: "For operators: the data and its disk, the newest backup of the data, and the versions of the software.",
    answer: shape({
      schemaVersion: schemaVersion,
      /** In bytes; null if the process that answers does not hold the data. */
      storage: v.nullable(shape({ databaseBytes: count, walBytes: count, freeDiskBytes: v.nullable(count) })),
      acceptedWrites: count,
      auditLines: count,
      /** The newest backup that this data records, with the path given to the backup command. */
      backup: v.nullable(shape({ at, file: optionalText, bytes: v.nullable(count) })),
      restoredAt: v.nullable(at),
      versions: shape({
        software: v.string(),
        protocol: count,
        schema: v.nullable(count),
        node: v.string(),
        sqlite: optionalText,
      }),
      instanceId: id,
      lineage: v.array(id),
      /**
       * The time up to which writes of this instance are dated in the future, because its clock was ahead when they
       * arrived; else null.
       */
      datedAhead: v.nullable(at),
    }),
  }),
  read({
    name: "admin_people",
    ...forOperators,
    path: "/api/admin/people",
    summary: "For operators: the people of this service, the latest account first.",
    cursor: "uuid",
    answer: page(
      shape({
        ...person.entries,
        isOperator: v.boolean(),
        disabledAt: v.nullable(at),
        createdAt: at,
        signedInAt: v.nullable(at),
        /** The Rooms of which they are a member, and those that they own. */
        rooms: count,
        ownedRooms: count,
        /** Their credentials and personal keys in use. */
        tokens: count,
      }),
    ),
  }),
  read({
    name: "admin_rooms",
    ...forOperators,
    path: "/api/admin/rooms",
    summary: "For operators: every Room, the newest first, with its owner, its size and the time of its last activity.",
    cursor: "uuid",
    answer: page(
      shape({
        roomId: id,
        title: freeText,
        owner: shape({ ...person.entries, disabledAt: v.nullable(at) }),
        state: v.picklist(enumerations.roomState),
        /** For a Room of another instance: its address there. */
        origin: optionalText,
        createdAt: at,
        members: count,
        entries: count,
        /** The size of everything accepted into it, without the tables and the search index made from that. */
        acceptedBytes: count,
        lastActivityAt: at,
      }),
    ),
  }),
  read({
    name: "admin_credentials",
    ...forOperators,
    path: "/api/admin/credentials",
    summary:
      "For operators: credentials of every Room, the newest first. Only the first characters of tokens are shown.",
    cursor: "uuid",
    answer: page(credentialOfRoom),
  }),
  read({
    name: "admin_keys",
    ...forOperators,
    path: "/api/admin/keys",
    summary:
      "For operators: the personal keys of all people, the newest first. Only the first characters of tokens are " +
      "shown.",
    cursor: "uuid",
    answer: page(shape({ ...personalKey.entries, owner: person })),
  }),
  read({
    name: "admin_invitations",
    ...forOperators,
    path: "/api/admin/invitations",
    summary:
      "For operators: invitations into the service and its Rooms, the newest first. Their links are never shown.",
    cursor: "uuid",
    answer: page(
      shape({
        invitationId: id,
        invitedBy: v.string(),
        roomId: v.nullable(id),
        title: optionalFreeText,
        createdAt: at,
        expiresAt: at,
        acceptedBy: optionalText,
        revokedAt: v.nullable(at),
      }),
    ),
  }),
  read({
    name: "admin_audit",
    ...forOperators,
    path: "/api/admin/audit",
    summary: "For operators: the audit log, the newest line first. kind and user (user id or name) are filters.",
    parameters: { kind: v.exactOptional(oneOf(auditKindNames)), user: v.exactOptional(plain(limits.name)) },
    refusals: [...forOperators.refusals, "room_unavailable"],
    cursor: "sequence",
    answer: page(auditEntry),
  }),
] as const
