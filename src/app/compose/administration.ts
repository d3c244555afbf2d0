/**
 * The reads for operators: lists of people, Rooms, credentials, keys and invitations, the audit log, and the state of
 * the service.
 */
import { protocolVersion } from "../../contract/service.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Ledger } from "../../ledger/write/ledger.ts"
import { keysetPage, pageSize, uuidCursor } from "../../ledger/lists/paging.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Readers, StorageReadings } from "../../ledger/reads/reading.ts"
import type { Keys } from "../../library/keys.ts"
import type { Audit } from "../../people/audit.ts"
import type { Invitations } from "../../people/invitations.ts"
import type { People } from "../../people/people.ts"
import type { Credentials } from "../../rooms/credentials.ts"
import type { Members } from "../../rooms/members.ts"
import type { Rooms } from "../../rooms/rooms.ts"

interface AdministeredTables {
  readonly instanceId: string
  readonly lineage: readonly string[]
  readonly ledger: Pick<Ledger, "journal">
  readonly datedAhead: () => string | null
  readonly now: () => number
  readonly people: People
  readonly invitations: Invitations
  readonly audit: Audit
  readonly rooms: Rooms
  readonly members: Members
  readonly credentials: Credentials
  readonly library: { readonly keys: Keys }
}

/** A member of a line's detail, or null if it has another type. */
const text = (value: unknown): string | null => (typeof value === "string" ? value : null)
const number = (value: unknown): number | null => (typeof value === "number" ? value : null)

function filesOf(storage: StorageReadings | undefined) {
  if (storage === undefined) return null
  const { databaseBytes, walBytes, freeDiskBytes } = storage
  return { databaseBytes, walBytes, freeDiskBytes }
}

export function administrationReads({
  instanceId,
  lineage,
  ledger,
  datedAhead,
  now,
  people,
  invitations,
  audit,
  rooms,
  members,
  credentials,
  library,
}: AdministeredTables) {
  /** Reads one row more than a page of a list, newest first. */
  const rowsFor = <T>(
    query: { limit?: number; after?: string },
    page: (before: string | null, count: number) => T[],
  ): T[] => page(uuidCursor(query.after) ?? null, pageSize(query) + 1)

  return {
    admin_overview({ keeping }) {
      const { softwareVersion = "", storage } = keeping?.() ?? {}
      const backup = audit.newest("back_up")
      return {
        storage: filesOf(storage),
        acceptedWrites: ledger.journal.next() - 1,
        auditLines: audit.page({}, null, 1)[0]?.sequence ?? 0,
        backup:
          backup === undefined
            ? null
            : { at: backup.at, file: text(backup.detail.file), bytes: number(backup.detail.bytes) },
        restoredAt: audit.newest("restore_backup")?.at ?? null,
        versions: {
          software: softwareVersion,
          protocol: protocolVersion,
          schema: storage?.schema ?? null,
          node: process.versions.node,
          sqlite: storage?.sqlite ?? null,
        },
        instanceId,
        lineage,
        datedAhead: datedAhead(),
      }
    },

    admin_people({ query }) {
      const rows = rowsFor(query, people.page)
      const ids = rows.map(({ userId }) => userId)
      const at = isoTime(now())
      const [counts, issued, keys] = [members.countsOf(ids), credentials.inUse(ids, at), library.keys.inUse(ids, at)]
      const listed = rows.map((person) => {
        const { rooms: joined = 0, owned = 0 } = counts.get(person.userId) ?? {}
        const tokens = (issued.get(person.userId) ?? 0) + (keys.get(person.userId) ?? 0)
        return { ...person, rooms: joined, ownedRooms: owned, tokens }
      })
      return keysetPage(listed, query, ({ userId }) => userId)
    },

    admin_rooms({ query }) {
      const { found } = rooms.page(uuidCursor(query.after), undefined, pageSize(query) + 1)
      const disabled = people.disabledAmong(found.map(({ owner }) => owner.userId))
      const bytes = rooms.acceptedBytes(found.map(({ roomId }) => roomId))
      const listed = found.map(
        ({ roomId, title, owner, state, origin, createdAt, counts, activityWatermark, lastActivityAt }) => ({
          roomId,
          title,
          owner: { ...owner, disabledAt: disabled.get(owner.userId) ?? null },
          state,
          origin: origin?.baseUrl ?? null,
          createdAt,
          members: counts.members,
          entries: activityWatermark,
          acceptedBytes: bytes.get(roomId) ?? 0,
          lastActivityAt,
        }),
      )
      return keysetPage(listed, query, ({ roomId }) => roomId)
    },

    admin_credentials({ query }) {
      const found = rowsFor(query, credentials.page)
      const titles = rooms.titles([...new Set(found.map(({ roomId }) => roomId))])
      const listed = found.map((credential) => ({ ...credential, roomTitle: titles.get(credential.roomId) ?? "" }))
      return keysetPage(listed, query, ({ credentialId }) => credentialId)
    },

    admin_keys: ({ query }) => keysetPage(rowsFor(query, library.keys.page), query, ({ keyId }) => keyId),

    admin_invitations: ({ query }) =>
      keysetPage(rowsFor(query, invitations.page), query, ({ invitationId }) => invitationId),

    admin_audit({ query }) {
      const { kind, user, after } = query
      const userId = user === undefined ? undefined : (people.idOf(user) ?? people.idOf(user.toLowerCase()))
      if (user !== undefined && userId === undefined)
        throw new Refusal("room_unavailable", "There is no user with that name.")
      return keysetPage(
        audit.page({ kind, userId }, after ?? null, pageSize(query) + 1),
        query,
        ({ sequence }) => sequence,
      )
    },
  } satisfies Partial<Readers>
}
