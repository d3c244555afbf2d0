/** What operators look after, as JSON: to everybody else nothing is at these addresses. */
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

/** A list of operators: the newest first. */
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
    summary: "For operators: the data and its disk, the newest backup that was made of it, and the versions of what keeps it.",
    refusals: ["unknown_operation"],
    answer: shape({
      schemaVersion: answers.schemaVersion,
      /** In bytes; null where the process that answers does not keep the data. */
      storage: v.nullable(shape({ databaseBytes: count, walBytes: count, freeDiskBytes: v.nullable(count) })),
      acceptedWrites: count,
      auditLines: count,
      /** The newest backup that this data knows of, as the command that made it was called. */
      backup: v.nullable(shape({ at, file: optionalText, bytes: v.nullable(count) })),
      /** When this data was put back from a backup. */
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
      /** Up to when writes of this instance are dated that its clock has not reached: the clock was ahead when they came. Else null. */
      datedAhead: v.nullable(at),
    }),
  }),
  listed(
    "admin_people",
    "/api/admin/people",
    "For operators: the people of this service, who came last first.",
    "uuid",
    shape({
      ...person.entries,
      isOperator: v.boolean(),
      disabledAt: v.nullable(at),
      createdAt: at,
      signedInAt: v.nullable(at),
      /** How many Rooms they are a member of, and how many of these they own. */
      rooms: count,
      ownedRooms: count,
    }),
    {},
  ),
  listed(
    "admin_rooms",
    "/api/admin/rooms",
    "For operators: every Room, the newest first, with whose it is, how large it is and when something last landed in it.",
    "uuid",
    shape({
      roomId: id,
      title: freeText,
      owner: shape({ ...person.entries, disabledAt: v.nullable(at) }),
      state: v.picklist(enumerations.roomState),
      /** Of a Room of another instance, its address there. */
      origin: optionalText,
      createdAt: at,
      members: count,
      entries: count,
      /** Of everything that was accepted into it; what is made from that, and the index of words, comes on top. */
      acceptedBytes: count,
      lastActivityAt: at,
    }),
    {},
  ),
  listed(
    "admin_credentials",
    "/api/admin/credentials",
    "For operators: credentials of every Room, the newest first. Tokens are never shown, but for their first signs.",
    "uuid",
    answers.credentialOfRoom,
    {},
  ),
  listed(
    "admin_keys",
    "/api/admin/keys",
    "For operators: everybody's personal keys, the newest first. Tokens are never shown, but for their first signs.",
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
    "For operators: the audit log, the newest line first; of one kind, or of a person (user id or name).",
    "sequence",
    auditEntry,
    { kind: v.exactOptional(oneOf(auditKindNames)), user: v.exactOptional(plain(limits.name)) },
    ["room_unavailable"],
  ),
] as const
