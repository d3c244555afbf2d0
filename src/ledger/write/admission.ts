/**
 * The checks of a write from step 6 on, in the protocol's order (section 2), from top to bottom. An admitted write is
 * stored in one immediate transaction with its label, timeline entry, activity entry and receipt.
 */
import { extendJson, type JsonObject, parse } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { BatchedWrite } from "../../contract/operations/batch.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import { noSuch, type References } from "./references.ts"
import type { RepositoryPin } from "../../contract/definitions/work.ts"
import type { Actor, Gate, Known, RoomAccess } from "../journal/actor.ts"
import type { ReceiptTarget, Subject } from "../journal/behaviour.ts"
import {
  type AnyBehaviour,
  checkRequest,
  type Delivery,
  type Request,
  requestDigestOf,
  type Receipts,
  senderId,
} from "../journal/delivery.ts"
import type { Db } from "../storage/database.ts"
import { isoTime, liveChance, type World } from "../world.ts"
import { type CommitQueue, RollbackWith } from "./commit-queue.ts"
import type { Writing } from "./writing.ts"

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

/** A receipt as JSON text, before the extras and the mark of a rehearsal are added. */
export interface Admitted {
  readonly receipt: string
  /** The object that the write made; left out for a retry. */
  readonly made?: ReceiptTarget
}

/** A batch as the edge passes it on. */
export interface BatchRequest {
  readonly actor: Actor
  readonly writes: readonly BatchedWrite[]
  readonly rehearse: boolean
}

/** Checks whether a pinned repository exists. `ok` is null if that is unknown; `retryAfter` is in seconds. */
export interface OutsideCheck {
  check(
    pin: RepositoryPin,
  ): Promise<
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: string }
    | { readonly ok: null; readonly reason: string; readonly retryAfter: number | null }
  >
}

export const nothingChecked: OutsideCheck = {
  check: async () => ({ ok: null, reason: "This process checks no repositories.", retryAfter: null }),
}

export const isWithholding = ({ name }: Operation): boolean => name === ("withhold_content" satisfies OperationName)

/** The operations that may change the title of an object, which search has to index again. */
const retitling: ReadonlySet<string> = new Set([
  "amend_room",
  "amend_experiment",
  "open_plan",
] satisfies OperationName[])

export interface AdmissionParts {
  readonly db: Db
  readonly world: World
  readonly gate: Gate
  readonly repositories: OutsideCheck
  readonly queue: CommitQueue
  readonly receipts: Receipts
  readonly references: References
  readonly writing: Writing
  /** Removes withheld content from the files. */
  readonly cleanse: () => Promise<void>
  readonly behaviourOf: (operation: Operation) => AnyBehaviour
}

export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** Steps 6 and 7: the schema, and the size of the content. @throws Refusal 422, 413 */
  check(request: Request): Delivery {
    return checkRequest(request, this.#parts.behaviourOf(request.operation))
  }

  /** Takes a checked write through all other steps. */
  async admit(delivery: Delivery, rehearse: boolean): Promise<Admitted> {
    const { prepare, outside } = delivery.behaviour
    const pin = outside?.(delivery) ?? null
    const known = pin === null && prepare === undefined ? undefined : this.answeredBefore(delivery)
    if (known !== undefined) return { receipt: known }
    if (pin !== null) await this.lookUp(pin)
    const prepared = await prepare?.(delivery)
    const admitted = await this.#inQueue(prepared === undefined ? delivery : { ...delivery, prepared }, rehearse)
    // The withholding is valid once it is accepted; if the disk fails here, a retry completes the removal.
    if (isWithholding(delivery.operation) && !rehearse) await this.#parts.cleanse()
    return admitted
  }

  /**
   * Runs steps 8 to 10 before the transaction, so that a retry does not query a host. @returns the receipt, if there is
   * one
   */
  answeredBefore(delivery: Delivery): string | undefined {
    const { db, world } = this.#parts
    const found = db.snapshot(() => this.#precheck(delivery, isoTime(world.now())))
    return "replayed" in found ? found.replayed : undefined
  }

  #inQueue(delivery: Delivery, rehearse: boolean): Promise<Admitted> {
    return this.#parts.queue.run(
      (changes) => {
        const made = this.deliver(delivery, changes)
        if (rehearse) throw new RollbackWith(made)
        return made
      },
      {
        rehearsal: rehearse,
        saysWhen: true,
        changesEarlier: retitling.has(delivery.operation.name) || isWithholding(delivery.operation),
      },
    )
  }

  /** Steps 8 to 13, inside the transaction. @param changes called before the first change */
  deliver(delivery: Delivery, changes = () => {}): Admitted {
    const { gate, world, writing } = this.#parts
    const { behaviour, actor, operation } = delivery
    const at = isoTime(world.now())
    const found = this.#precheck(delivery, at)
    if ("replayed" in found) return { receipt: found.replayed }
    const { subject, known } = found
    // Step 12: the state of the subject.
    behaviour.admit?.(delivery, subject, at)
    // Step 13: the write.
    changes()
    const { answer, made, roomId } = writing.write(delivery, subject, at, liveChance(world), known)
    gate.accepted({ operation, actor, roomId, targetId: made.id, at }, known)
    return { receipt: answer, made }
  }

  /**
   * Steps 8 to 10, which change nothing. @returns the receipt for a retry, or the subject of a new write @throws
   * Refusal of the first check that fails
   */
  #precheck(delivery: Delivery, at: string): { replayed: string } | { subject: Subject; known: Known } {
    const { operation, behaviour, actor } = delivery
    const { gate, references } = this.#parts
    const known = gate.confirm(actor, delivery.deliveryId, at)
    const replayed = known.isUsed ? this.#retried(delivery) : undefined
    if (replayed !== undefined) return { replayed }

    const lacking = grantRefusal(operation, actor)
    if (lacking) throw lacking
    const subject = this.#subject(delivery)
    if (subject.roomId !== null) {
      const own = known.room?.access
      const standing = own?.roomId === subject.roomId ? own : gate.standing(subject.roomId, actor.userId)
      if (standing === undefined) throw noSuch("room")
      const refusal = roomRefusal(operation, actor, standing, subject.threadId)
      if (refusal) throw refusal
    }
    const unknown = references.faults(operation, delivery.body)
    const further = behaviour.references?.(delivery, subject) ?? []
    const faults = [...unknown, ...further.filter(({ path }) => unknown.every((fault) => fault.path !== path))]
    const [first] = faults
    if (first === undefined) return { subject, known }
    const others =
      faults.length === 1
        ? ""
        : ` ${faults.length - 1} more of its references ${faults.length === 2 ? "is" : "are"} wrong: see issues.`
    throw new Refusal("unknown_reference", `${first.path} ${first.message}.${others}`, { issues: faults })
  }

  /** Step 8: a known delivery id returns its first receipt, or is refused if the content differs. */
  #retried({ operation, behaviour, actor, deliveryId, ...sent }: Delivery): string | undefined {
    const known = this.#parts.receipts.find(operation, actor, deliveryId)
    if (known === undefined) return undefined
    if (known.requestDigest !== requestDigestOf(operation, sent.params, sent.content, sent.contentDigest)) {
      const { acceptedAt, target } = parse(known.body)
      throw new Refusal(
        "request_conflict",
        `This ${operation.delivery} was used before with other content. A new contribution needs a new id.`,
        {
          // The target of a Library's receipt may be outside this key's reach.
          current: {
            operation: operation.name,
            acceptedAt,
            ...(actor.key === undefined ? { target } : {}),
          },
        },
      )
    }
    const changed = known.credentialId !== senderId(actor)
    const current = behaviour.moved?.(parse(known.body))
    return extendJson(known.body, {
      replayed: true,
      ...(changed ? { credentialChanged: true } : {}),
      ...(current && { current }),
    })
  }

  /** Step 10: the objects that the path names. @throws Refusal 404 */
  #subject(delivery: Delivery): Subject {
    try {
      return delivery.behaviour.subject(delivery)
    } catch (error) {
      throw this.#parts.references.explained(error, delivery.operation, delivery.params, delivery.body)
    }
  }

  /** Step 11, outside of any transaction: the repository that a write pins. */
  async lookUp(pin: RepositoryPin): Promise<void> {
    const answer = await this.#parts.repositories.check(pin)
    if (answer.ok) return
    if (answer.ok === false)
      throw new Refusal("repository_unavailable", answer.reason, {
        status: 422,
        issues: [{ path: "/repository", message: answer.reason }],
      })
    throw new Refusal("repository_unavailable", answer.reason, {
      status: 503,
      ...(answer.retryAfter === null ? {} : { retryAfter: answer.retryAfter }),
    })
  }
}
