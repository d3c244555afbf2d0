/** Authorization: the checks of grant, membership, scope, role and archive, in the protocol's order. */
import type { JsonObject } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Actor, RoomAccess } from "../journal/actor.ts"

/** The part of an archived Room that a refusal shows. */
const archivedRoom = (standing: Pick<RoomAccess, "roomId" | "state" | "archive">): JsonObject => ({
  room: {
    id: standing.roomId,
    state: standing.state,
    archivedAt: standing.archive?.archivedAt ?? null,
    reason: standing.archive?.reason ?? null,
  },
})

/** Returns the refusal for a permission that a personal key lacks, or null. */
export function keyRefusal(
  { name, permissions }: Pick<Operation, "name" | "permissions">,
  { key }: Actor,
): Refusal | null {
  const held: ReadonlySet<string> | undefined = key?.permissions
  const needed = held && permissions.find((permission) => !held.has(permission))
  if (needed === undefined) return null
  return new Refusal("not_authorized", `${name} needs ${needed}; this key lacks it.`, {
    status: 403,
    current: { needed: [needed] },
  })
}

/**
 * Returns the refusal for permissions that the credential or key lacks, or null. Checked before any object is looked
 * up.
 */
export function grantRefusal(operation: Operation, actor: Actor): Refusal | null {
  const { grant, key } = actor
  // The edge lets neither through. Without this check, such a caller would have a person's full permissions.
  if (operation.family === "library" ? grant !== null : key !== undefined)
    throw new Error(`${operation.name} was called with a credential of the other family`)
  if (key !== undefined) return keyRefusal(operation, actor)
  if (grant === null) return null
  const held: ReadonlySet<string> = grant.permissions
  const needed = operation.permissions.filter((permission) => !held.has(permission))
  if (needed.length === 0) return null
  return new Refusal(
    "permission_missing",
    `${operation.name} needs ${operation.permissions.join(" and ")}; this credential lacks ${needed.join(" and ")}.`,
    {
      current: { needed: [...operation.permissions], missing: needed },
    },
  )
}

/**
 * Returns the refusal of the Room that the write is about, or null.
 * @param threadId the Thread in which the subject was made; null if it was made in none; undefined to skip the scope
 * check
 */
export function roomRefusal(
  operation: Operation,
  actor: Actor,
  standing: RoomAccess,
  threadId: string | null | undefined,
): Refusal | null {
  const { grant } = actor
  // Command-line operations check the origin of a Room themselves.
  if (standing.origin !== null && operation.surface !== "command") {
    return new Refusal(
      "room_mirrored",
      "The Room belongs to another instance. You can read and cite it here, and write to it there.",
      {
        status: operation.archived === "room_unavailable" ? 404 : 403,
        current: { room: { id: standing.roomId, origin: standing.origin } },
      },
    )
  }
  if (operation.by !== "person" && standing.role === null) {
    return new Refusal("not_a_member", `${actor.username} is not a member of this Room.`)
  }
  if (grant !== null && grant.roomId !== standing.roomId) {
    return new Refusal("scope_missing", "This credential belongs to another Room.")
  }
  if (grant?.threadIds && threadId !== undefined && (threadId === null || !grant.threadIds.has(threadId))) {
    return new Refusal(
      "scope_missing",
      "This credential is limited to certain Threads, and this object was not made in any of them.",
      {
        current: { threadIds: [...grant.threadIds] },
      },
    )
  }
  if (operation.by === "owner" && standing.role !== "owner") {
    return new Refusal("role_required", `${operation.name} is for the owner of the Room.`, {
      current: { needed: ["owner"] },
    })
  }
  if (standing.state === "archived" && operation.archived !== "admitted") {
    return new Refusal(operation.archived, "The Room is archived: it can be read and cited, and admits no new work.", {
      current: archivedRoom(standing),
    })
  }
  return null
}
