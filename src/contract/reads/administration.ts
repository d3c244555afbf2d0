/** The reads of operators. For everybody else these addresses do not exist. */
import * as v from "valibot"
import { at, count, id, optionalFreeText, optionalText, freeText } from "../answers/fields.ts"
import * as answers from "../answers/index.ts"
import { auditEntry, auditKindNames } from "../answers/audit.ts"
import { oneOf, plain, shape } from "../schema/fields.ts"
import { personalKey } from "../library/answers.ts"
import { limits } from "../limits.ts"
import type { RefusalCode } from "../refusals/refusal.ts"
import { type CursorKind, read } from "../definitions/read.ts"
import { enumerations } from "../schema/enumerations.ts"

const { person } = answers

/** A list for operators, the newest first. */
const listed = <
  const N extends string,
  const Path extends string,
  I extends v.GenericSchema,
  P extends v.ObjectEntries,
  const C extends CursorKind,
>(
  name: N,
  path: Path,
  summary: string,
  cursor: C,
  item: I,
  parameters: P,
  refusals: readonly RefusalCode[] = [],
) =>
  read({
    name,
    path,
    summary,
    cursor,
    parameters,
    surface: "operator",
    refusals: ["unknown_operation", ...refusals],
    answer: answers.page(item),
  })

export const administrationReads = [
  read({
    name: "admin_overview",
    surface: "operator",
    path: "/api/admin/overview",
    summary: "For operators: the data and its disk, the newest backup of the data, and the versions of the software.",
    refusals: ["unknown_operation"],
    answer: shape({
      schemaVersion: answers.schemaVersion,
      /** In bytes; null if the process that answers does not hold the data. */
      storage: v.nullable(shape({ databaseBytes: count, walBytes: count, freeDiskBytes: v.nullable(count) })),
      acceptedWrites: count,
      auditLines: count,
      /** The newest backup that this data records, with the path given to the backup command. */
      backup: v.nullable(shape({ at, file: optionalText, bytes: v.nullable(count) })),
      /** When this data was restored from a backup. */
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
      /** The time up to which writes of this instance are dated in the future, because its clock was ahead when they arrived; else null. */
      datedAhead: v.nullable(at),
    }),
  }),
  listed(
    "admin_people",
    "/api/admin/people",
    "For operators: the people of this service, the latest account first.",
    "uuid",
    shape({
      ...person.entries,
      isOperator: v.boolean(),
      disabledAt: v.nullable(at),
      createdAt: at,
      signedInAt: v.nullable(at),
      /** The Rooms of which they are a member, and those that they own. */
      rooms: count,
      ownedRooms: count,
    }),
    {},
  ),
  listed(
    "admin_rooms",
    "/api/admin/rooms",
    "For operators: every Room, the newest first, with its owner, its size and the time of its last activity.",
    "uuid",
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
    {},
  ),
  listed(
    "admin_credentials",
    "/api/admin/credentials",
    "For operators: credentials of every Room, the newest first. Only the first characters of tokens are shown.",
    "uuid",
    answers.credentialOfRoom,
    {},
  ),
  listed(
    "admin_keys",
    "/api/admin/keys",
    "For operators: the personal keys of all people, the newest first. Only the first characters of tokens are shown.",
    "uuid",
    shape({ ...personalKey.entries, owner: person }),
    {},
  ),
  listed(
    "admin_invitations",
    "/api/admin/invitations",
    "For operators: invitations into the service and its Rooms, the newest first. Their links are never shown.",
    "uuid",
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
    {},
  ),
  listed(
    "admin_audit",
    "/api/admin/audit",
    "For operators: the audit log, the newest line first. kind and user (user id or name) are filters.",
    "sequence",
    auditEntry,
    { kind: v.exactOptional(oneOf(auditKindNames)), user: v.exactOptional(plain(limits.name)) },
    ["room_unavailable"],
  ),
] as const
