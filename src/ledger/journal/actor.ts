/** Who writes, and what the ledger has to know of Rooms to let them. */
import type { Archive, RoomOrigin } from "../../contract/answers/index.ts"
import type { KeyReach, LibraryPermission, MemberRole, Permission, RoomState } from "../../contract/schema/enumerations.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { Entry } from "./journal.ts"

/** What a Room credential grants. */
export interface Grant {
  readonly credentialId: string
  readonly roomId: string
  readonly permissions: ReadonlySet<Permission>
  /** The Threads it is limited to; null for all. */
  readonly threadIds: ReadonlySet<string> | null
}

/** What a personal key grants: its person's Library, as far as it reaches. */
export interface KeyGrant {
  readonly keyId: string
  readonly permissions: ReadonlySet<LibraryPermission>
  readonly reach: KeyReach
}

/** A person, acting through a credential, through a personal key or, with neither, signed in to the browser with every permission. */
export interface Actor {
  readonly userId: string
  /** What they are called here. */
  readonly username: string
  /** What they are called in the record, where that is otherwise: people of another instance, as that one calls them. */
  readonly knownAs?: string
  /** The name of the agent; empty for a person in the browser. Left out of a write from before names were kept. */
  readonly agent?: string
  readonly grant: Grant | null
  readonly key?: KeyGrant
}

/** The id of what the actor came in with; null for a person in the browser. */
export const senderId = ({ grant, key }: Actor): string | null => grant?.credentialId ?? key?.keyId ?? null

/** A Room as admission sees it, for one person. */
export interface RoomAccess {
  readonly roomId: string
  readonly title: string
  readonly state: RoomState
  readonly archive: Archive | null
  /** Where it comes from, for a Room of another instance. */
  readonly origin: RoomOrigin | null
  /** null: not a member. */
  readonly role: MemberRole | null
}

/** A write that was accepted. */
export interface Written {
  readonly operation: Pick<Operation, "name" | "target">
  readonly actor: Actor
  readonly roomId: string | null
  /** The object that its receipt names. */
  readonly targetId: string
  readonly at: string
}

/** What the ledger asks of the Rooms: the rechecks of every write, made inside its transaction. */
export interface Gate {
  /** @throws Refusal `not_authenticated` when the credential or key expired or was revoked since the request came in */
  confirm(actor: Actor, at: string): void
  /** Notes that the actor's credential or key was used. */
  used(actor: Actor, at: string): void
  /** Called for each accepted write, within its transaction; not for a replayed one. */
  accepted(written: Written): void
  /** Whoever sent an entry of the history, as far as a behaviour asks. */
  actorOf(entry: Pick<Entry, "userId" | "username" | "sender" | "agent">, operation: Pick<Operation, "family">): Actor
  /** The Room, and what the person is in it; undefined when there is no such Room. */
  standing(roomId: string, userId: string): RoomAccess | undefined
}
