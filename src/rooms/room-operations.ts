/** Operations on Rooms: create, amend, archive, restore, transfer, adopt. */
import { present } from "../contract/present.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import type { NewRow } from "../ledger/storage/inserting.ts"
import type { People } from "../people/people.ts"
import type { ImportedRooms } from "./imported.ts"
import type { Members } from "./members.ts"
import type { Rooms } from "./rooms.ts"

/** What operations on Rooms need from Threads, which are on a higher floor. */
export interface RoomThreads {
  open(thread: NewRow<"threads">): unknown
  notInRoom(roomId: string, threadIds: readonly string[]): number[]
}

/** Returns the Room in the path. Admission checks that it exists. */
export const inPath = ({ params }: { params: { roomId: string } }) => ({ roomId: params.roomId, threadId: undefined })
export const userInPath = ({ params }: { params: { roomId: string; userId: string } }) => ({
  ...params,
  threadId: undefined,
})

/**
 * For what is open to the owner of a Room and to operators. @param sentence the refusal for other members. @throws
 * Refusal 403 `not_a_member` or `role_required`
 */
export function mustOwnOrOperate(
  { username }: Pick<Actor, "username">,
  { role, isOperator }: { readonly role: string | null; readonly isOperator: boolean },
  sentence: string,
): void {
  if (role === "owner" || isOperator) return
  if (role === null) throw new Refusal("not_a_member", `${username} is not a member of this Room.`)
  throw new Refusal("role_required", sentence, { current: { needed: ["owner"] } })
}

interface Tables {
  readonly rooms: Rooms
  readonly members: Members
  readonly imported: ImportedRooms
  readonly people: People
  readonly threads: RoomThreads
}

export function roomOperations({ rooms, members, imported, people, threads }: Tables) {
  const create_room = behaviour("create_room", {
    subject: () => ({ roomId: null, threadId: undefined }),
    write({ actor, body }, _subject, change) {
      const roomId = change.newId()
      const openingThreadId = change.newId()
      rooms.insert(roomId, body, actor.userId, openingThreadId, change.at)
      members.add(roomId, actor.userId, "owner", change.at)
      const sequence = change.ordinal(roomId, "thread")
      threads.open({
        threadId: openingThreadId,
        roomId,
        sequence,
        title: body.title,
        authorId: actor.userId,
        createdAt: change.at,
      })
      return {
        roomId,
        threadId: openingThreadId,
        target: { id: roomId, label: null },
        result: { roomId, openingThreadId, label: null },
      }
    },
  })

  const amend_room = behaviour("amend_room", {
    subject: inPath,
    write({ body }, { roomId }) {
      const now = rooms.amend(roomId, body)
      return { target: { id: roomId, label: null }, result: { ...now, label: null } }
    },
  })

  const archive_room = behaviour("archive_room", {
    subject: inPath,
    write({ actor, body }, { roomId }, { at }) {
      rooms.archive(roomId, at, actor.userId, body.reason)
      return { target: { id: roomId, label: null }, result: { state: "archived", label: null } }
    },
  })

  const restore_room = behaviour("restore_room", {
    subject: inPath,
    admit({ actor }, { roomId }) {
      if (rooms.standing(roomId, actor.userId)?.state !== "active") return
      throw new Refusal("state_conflict", "The Room is active already.", {
        current: { room: { id: roomId, state: "active" } },
      })
    },
    write(_call, { roomId }) {
      rooms.restore(roomId)
      return { target: { id: roomId, label: null }, result: { state: "active", label: null } }
    },
  })

  const transfer_room = behaviour("transfer_room", {
    subject: userInPath,
    admit({ actor, body }, { roomId, userId }) {
      const role = rooms.standing(roomId, actor.userId)?.role ?? null
      const isOperator = people.isOperator(actor.userId)
      mustOwnOrOperate(actor, { role, isOperator }, "Only the owner of a Room or an operator can transfer it.")
      if (role !== "owner" && body.reason === undefined)
        throw new Refusal("invalid_schema", "An operator who transfers a Room must give a reason.", {
          issues: [{ path: "/reason", message: "is required of an operator" }],
        })
      const next = members.find(roomId, userId)
      if (next?.role === "owner")
        throw new Refusal("state_conflict", `${next.username} owns this Room already.`, { current: { member: next } })
      if (next === undefined && !isOperator)
        throw new Refusal("room_unavailable", "This person is not a member of the Room.")
      if (next === undefined && people.ofHere(userId) === undefined)
        throw new Refusal("room_unavailable", "There is no user with this id.")
      if (!people.isEnabled(userId))
        throw new Refusal("state_conflict", "This person cannot sign in here, so they cannot own a Room.")
    },
    write(_call, { roomId, userId }, { at }) {
      rooms.setOwner(roomId, userId)
      members.setOwner(roomId, userId, at)
      const { username } = present(people.withId(userId))
      return { target: { id: roomId, label: null }, result: { ownerId: userId, username, label: null } }
    },
  })

  const adopt_room = behaviour("adopt_room", {
    subject: inPath,
    admit({ body }, { roomId }) {
      const origin = imported.origin(roomId)
      if (origin === null) throw new Refusal("state_conflict", `The Room ${roomId} is this instance's own.`)
      const { instanceId, baseUrl, throughSequence } = body.origin
      if (origin.instanceId === instanceId && origin.baseUrl === baseUrl && origin.throughSequence === throughSequence)
        return
      throw new Refusal("state_conflict", "The Room's origin is not the expected one.", {
        current: { room: { id: roomId, origin } },
      })
    },
    write({ actor, body }, { roomId }, { at }) {
      const { userId } = actor
      rooms.setOwner(roomId, userId)
      members.setOwner(roomId, userId, at)
      imported.leave(roomId, body.origin, at)
      // A replayed adoption has a grant: another instance adopted the Room, so it is not this instance's own.
      if (actor.grant === null) imported.keep(roomId, at)
      return { target: { id: roomId, label: null }, result: { ownerId: userId, label: null } }
    },
  })

  return { create_room, amend_room, archive_room, restore_room, transfer_room, adopt_room }
}
