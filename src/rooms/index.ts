/** The domain of Rooms: what it consists of, and the reads of Rooms, their members and credentials. */
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import { credentialOperations, credentials, type Credentials } from "./credentials.ts"
import { feedReads } from "./activity.ts"
import { importedRooms, leavingRooms } from "./imported.ts"
import { memberOperations, members, type Members } from "./members.ts"
import { roomOperations, rooms, type Rooms } from "./rooms.ts"
import { webhooks, type Webhooks } from "./webhooks.ts"
import { withholdingOperations } from "./withholding.ts"
import type { WhatChanged } from "../contract/answers/changed.ts"
import type { Costs } from "../contract/answers/costs.ts"
import type { RoomSummary } from "../contract/nouns/rooms.ts"
import { limits } from "../contract/limits.ts"
import { operations } from "../contract/operations/index.ts"
import { noSuch } from "../ledger/write/references.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Actor, RoomAccess } from "../ledger/journal/actor.ts"
import type { Activity } from "../ledger/journal/activity.ts"
import { grantRefusal, roomRefusal } from "../ledger/write/admission.ts"
import { fromOtherRoom } from "../ledger/lists/labelled.ts"
import { keysetPage, type ListOf, opaqueCursor, pageSize, readOpaqueCursor } from "../ledger/lists/paging.ts"
import type { Readers } from "../ledger/reads/reading.ts"
import type { Withheld } from "../ledger/journal/withheld.ts"

export interface RoomReadSources {
  readonly rooms: Rooms
  readonly members: Members
  readonly credentials: Credentials
  readonly webhooks: Webhooks
  readonly withheld: Pick<Withheld, "unproved">
  readonly activity: Pick<Activity, "watermark" | "lastOfSenders">
  readonly costs: { ofRoom(roomId: string): Costs }
  readonly changed: { ofRoom(roomId: string): WhatChanged }
  readonly experiments: {
    assignedTo(userId: string): readonly {
      readonly experimentId: string
      readonly label: string
      readonly roomId: string
      readonly status: string
      readonly agent: string | null
    }[]
  }
}

const CACHED_COSTS = 100

function roomReads({
  rooms,
  members,
  credentials,
  webhooks,
  withheld,
  activity,
  costs,
  changed,
  experiments,
}: RoomReadSources) {
  /** @throws Refusal 404 */
  function mustFind(roomId: string): RoomSummary {
    const room = rooms.summary(roomId)
    if (room === undefined) throw noSuch("room")
    return room
  }

  const costCache = new Map<string, { readonly at: string; readonly costs: Costs }>()
  /**
   * Returns the costs of a Room's attempts, cached until the Room has new activity: every page of the Room reads it.
   */
  function costsOf({ roomId, activityWatermark, lastActivityAt }: RoomSummary): Costs {
    const at = `${activityWatermark} ${lastActivityAt}`
    const cached = costCache.get(roomId)
    if (cached?.at === at) return cached.costs
    const found = costs.ofRoom(roomId)
    if (costCache.size >= CACHED_COSTS) costCache.clear()
    costCache.set(roomId, { at, costs: found })
    return found
  }

  /**
   * Returns a Room, which must be that of the actor's credential. @throws Refusal 404 for an unknown Room, 403 for
   * another one
   */
  function ownRoom(actor: Actor, roomId: string): RoomAccess {
    const standing = rooms.standing(roomId, actor.userId)
    if (standing === undefined) throw noSuch("room")
    if (actor.grant !== null && actor.grant.roomId !== roomId)
      throw new Refusal("scope_missing", "This credential belongs to another Room.")
    return standing
  }

  /** Returns a person's membership; null after it has ended, when their credential still identifies them. */
  function membership(roomId: string, userId: string) {
    const member = members.find(roomId, userId)
    return member === undefined ? null : { role: member.role, joinedAt: member.joinedAt }
  }

  /** Returns the actor's membership. @throws Refusal 404 for an unknown Room, 403 if they are not a member */
  function ownMembership(actor: Actor, roomId: string) {
    rooms.mustExist(roomId)
    const member = members.find(roomId, actor.userId)
    if (member === undefined) throw new Refusal("not_a_member", "You are not a member of this Room.")
    return member
  }

  /** @throws Refusal 404 for an unknown Room, 403 for anyone but the owner */
  function mustOwn(actor: Actor, roomId: string, sentence: string): void {
    if (ownMembership(actor, roomId).role !== "owner")
      throw new Refusal("role_required", sentence, { current: { needed: ["owner"] } })
  }

  return {
    rooms({ query }) {
      const list: ListOf = ["rooms", query.query]
      const [before] = readOpaqueCursor(query.after, 1, list) ?? []
      const { found, stopped } = rooms.page(before, query.query, pageSize(query) + 1)
      const resumeAt = stopped === undefined ? undefined : opaqueCursor([stopped], list)
      return keysetPage(found, query, ({ roomId }) => opaqueCursor([roomId], list), resumeAt)
    },

    room({ params: { roomId } }) {
      const room = mustFind(roomId)
      const sequences = withheld.unproved(roomId)
      const unproved = { entries: sequences.length, sequences: sequences.slice(0, limits.unprovedEntries) }
      return { ...room, unproved, costs: costsOf(room), members: members.of(roomId), ...changed.ofRoom(roomId) }
    },

    identity({ actor }) {
      const credential = credentials.find(actor.grant.credentialId)
      const room = rooms.standing(actor.grant.roomId, actor.userId)
      const openingThreadId = rooms.openingThread(actor.grant.roomId)
      if (credential === undefined || room === undefined || openingThreadId === undefined) throw noSuch("room")
      const { credentialId: id, label, expiresAt, threadIds, permissions } = credential
      return {
        userId: actor.userId,
        username: actor.username,
        agent: credential.label,
        grants: permissions,
        credential: { id, label, expiresAt, threadIds },
        room: { id: room.roomId, title: room.title, openingThreadId, archived: room.state === "archived" },
        membership: membership(room.roomId, actor.userId),
        assignments: experiments
          .assignedTo(actor.userId)
          .map((held) => ({ ...held, ...fromOtherRoom(held.roomId, room.roomId) })),
      }
    },

    room_status({ actor, params }) {
      const { roomId: id, title, state, archive } = ownRoom(actor, params.roomId)
      return {
        room: { id, title, state, archive },
        membership: membership(id, actor.userId),
        activityWatermark: activity.watermark(id),
        assignments: experiments.assignedTo(actor.userId).filter(({ roomId }) => roomId === id),
      }
    },

    room_access({ actor, params, basePath = "" }) {
      const standing = ownRoom(actor, params.roomId)
      const listed = operations
        .filter(({ family, surface }) => family === "research" && surface === "agent")
        .map((operation) => {
          const refusal =
            grantRefusal(operation, actor) ??
            roomRefusal(operation, actor, standing, operation.target === "thread" ? null : undefined)
          return {
            operation: operation.name,
            path: `${basePath}${operation.path}`,
            allowed: refusal === null,
            refusal: refusal?.code ?? null,
            needed: operation.permissions,
          }
        })
      return { roomId: standing.roomId, operations: listed }
    },

    members({ params }) {
      rooms.mustExist(params.roomId)
      return { items: members.of(params.roomId) }
    },

    join_requests({ actor, params: { roomId } }) {
      mustOwn(actor, roomId, "Only the owner of the Room sees requests to join.")
      return { items: members.requests(roomId) }
    },

    webhooks({ actor, params: { roomId } }) {
      mustOwn(actor, roomId, "Only the owner of the Room manages its webhooks.")
      return { items: webhooks.ofRoom(roomId) }
    },

    credentials({ actor, params: { roomId } }) {
      rooms.mustExist(roomId)
      const { userId } = actor
      const all = credentials.ofRoom(roomId)
      const own = all.filter(({ owner }) => owner.userId === userId)
      // A former member still sees their own credentials, and can revoke them.
      const role = own.length > 0 ? members.find(roomId, userId)?.role : ownMembership(actor, roomId).role
      const shown = role === "owner" ? all : own
      const last = activity.lastOfSenders(roomId)
      return {
        items: shown.map(({ roomId: _room, ...credential }) => {
          const entry = last.get(credential.credentialId)
          return {
            ...credential,
            lastWrite: entry === undefined ? null : { operation: entry.operation, target: entry.target, at: entry.at },
          }
        }),
      }
    },
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [
    ({ db }: Ground) => ({
      rooms: rooms(db),
      imported: importedRooms(db),
      leaving: leavingRooms(db),
      members: members(db),
      credentials: credentials(db),
      webhooks: webhooks(db),
    }),
  ],
  operations: [roomOperations, memberOperations, credentialOperations, withholdingOperations],
  reads: [roomReads, feedReads],
} satisfies Domain
