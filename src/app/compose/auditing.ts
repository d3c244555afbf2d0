/** Writes accepted writes to the audit log. */
import { isAuditKind } from "../../contract/audit-kinds.ts"
import type { TargetKind } from "../../contract/objects/objects.ts"
import type { Written } from "../../ledger/journal/actor.ts"
import type { Audit } from "../../people/audit.ts"
import type { People } from "../../people/people.ts"
import type { Credentials } from "../../rooms/credentials.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Keys } from "../../library/keys.ts"

interface Tables {
  readonly audit: Audit
  readonly people: People
  readonly rooms: Rooms
  readonly credentials: Credentials
  readonly library: { readonly keys: Keys }
}

/**
 * Returns a function that logs an accepted write, with the name of its target, if its operation is a kind of the audit
 * log.
 */
export function auditing({ audit, people, rooms, credentials, library }: Tables) {
  const subjects: {
    readonly [K in TargetKind]?: (id: string) => { kind: string; name: string | undefined; whose?: string | undefined }
  } = {
    room: (id) => ({ kind: "room", name: rooms.summary(id)?.title }),
    member: (id) => ({ kind: "person", name: people.withId(id)?.username }),
    join_request: (id) => ({ kind: "person", name: people.withId(id)?.username }),
    credential(id) {
      const found = credentials.find(id)
      return { kind: "credential", name: found?.label, whose: found?.owner.username }
    },
    personal_key(id) {
      const found = library.keys.find(id)
      return { kind: "personal_key", name: found?.label, whose: found?.owner.username }
    },
  }
  return ({ operation, actor, roomId, targetId, at }: Written): void => {
    if (!isAuditKind(operation.name)) return
    const { kind, name, whose } = subjects[operation.target]?.(targetId) ?? { kind: operation.target, name: undefined }
    const via = actor.grant === null ? actor.key && { key: actor.key.keyId } : { credential: actor.grant.credentialId }
    audit.write({
      kind: operation.name,
      by: actor,
      subject: { kind, id: targetId, name: name ?? null },
      roomId,
      detail: { ...via, ...(whose !== undefined && whose !== actor.username && { of: whose }) },
      at,
    })
  }
}
