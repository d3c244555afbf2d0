/** People who make random writes in several Rooms, and name in each the objects of the others. */
import { Refusal } from "../../../src/contract/refusals.ts"
import type { Receipt } from "../../../src/contract/answers/receipts.ts"
import { Maker } from "../../reliability/history/actions.ts"
import { Board } from "../../reliability/history/board.ts"
import { type Chance, chanceOf } from "../../reliability/support/chance.ts"
import type { Actor } from "../../../src/ledger/journal/actor.ts"
import type { Inside, Sent } from "../../support/lab.ts"
import { type Place as At, pin, sha256 } from "../../support/bodies.ts"

type Members = Record<string, unknown>
type Wanderers = Pick<Inside<string>, "people" | "admit">
interface Place {
  readonly room: At
  readonly board: Board
  readonly checkpoints: string[]
}

const repositories = { public: { ...pin, otherCommit: pin.commit }, private: pin }
const purposes = ["supports", "contradicts", "related", "derived_from"] as const
const verdicts = ["supports", "contradicts", "inconclusive"] as const

export class Wandering {
  readonly chance: Chance
  readonly places: readonly Place[]
  /** The objects of all Rooms. */
  readonly records: string[] = []
  readonly attempts: string[] = []
  readonly materials: string[] = []
  readonly links: { readonly linkId: string; readonly person: Actor }[] = []
  readonly #lab: Wanderers

  constructor(lab: Wanderers, rooms: readonly At[], seed: string) {
    this.#lab = lab
    this.chance = chanceOf(seed)
    this.places = rooms.map((room) => ({ room, board: new Board(room.threadId), checkpoints: [] }))
  }

  /** Tries one write. @returns the receipt if it was accepted */
  async step(): Promise<Receipt | null> {
    const { chance } = this
    const place = chance.of(this.places) as Place
    const person = chance.of(Object.values(this.#lab.people)) as Actor
    const { room, board } = place
    const maker = new Maker({ roomId: room.roomId, board, chance, person: person.userId, repositories })
    const intent = this.#ofOurs(place, person) ?? maker.any()
    const body = this.#namingOthers(intent.operation, { ...intent.body })
    const receipt = await this.#send(person, intent.operation, intent.params, body)
    if (receipt === null) return null
    board.learn(receipt as Parameters<Board["learn"]>[0], body, person.userId)
    const { operation, target } = receipt
    if (operation.startsWith("publish_")) this.records.push(target.id)
    if (operation === "register_attempt") this.attempts.push(target.id)
    if (operation === "register_material") this.materials.push(target.id)
    if (operation === "post_research_checkpoint") place.checkpoints.push(target.id)
    if (
      receipt.targetId !== null &&
      (operation === "link_experiment_finding" || operation.startsWith("assert_") || operation === "submit_review")
    )
      this.links.push({ linkId: receipt.targetId, person })
    return receipt
  }

  /** Makes writes that the shared makers do not make. */
  #ofOurs({ room: { roomId, threadId } }: Place, person: Actor) {
    const { chance } = this
    const intent = (operation: string, body: Members) => ({
      operation,
      params: {},
      body: { schemaVersion: 3, requestId: chance.id(), ...body },
    })
    if (!chance.happens(0.22)) return undefined
    const which = chance.weighted({ register: 3, report: 3, withdraw: 3, room: 2, claim: 4, review: 4 })
    const own = this.links.filter((link) => link.person === person)
    const link = chance.of(own)
    const materialId = chance.of(this.materials)
    if (which === "withdraw" && link)
      return intent("withdraw_link", { linkId: link.linkId, explanation: "It was said too soon." })
    const versionId = chance.of(this.records)
    if (which === "claim" && versionId !== undefined)
      return intent("claim_work", {
        object: versionId,
        what: chance.of(["review", "run", "write_finding"]),
        minutes: 5,
        note: "At it.",
      })
    if (which === "review" && versionId !== undefined)
      return intent("submit_review", {
        target: versionId,
        verdict: chance.of(["agrees", "objects"]),
        checked: [],
        explanation: "I looked.",
      })
    if (which === "report" && materialId !== undefined)
      return intent("report_material_location", {
        materialId,
        uri: `https://files.example.org/${chance.below(2)}`,
        state: chance.weighted({ available: 1, restricted: 1, unavailable: 1 }),
      })
    if (which === "room")
      return { ...intent("amend_room", { title: `Called ${chance.below(1000)}` }), params: { roomId } }
    return intent("register_material", {
      roomId,
      threadId,
      reference: sha256(String(chance.below(4))),
      name: "weights",
    })
  }

  /** Adds objects of any Room to a body. */
  #namingOthers(operation: string, body: Members): Members {
    const { chance } = this
    const versionId = chance.of(this.records)
    const other = chance.of(this.records)
    if (versionId === undefined || !chance.happens(0.7)) return body
    const references = [{ versionId, purpose: chance.of(purposes), explanation: "It bears on it." }]
    if (operation === "publish_hypothesis")
      return { ...body, references, premises: [{ versionId: other, explanation: "It rests on it." }] }
    if (operation === "publish_finding") return { ...body, references }
    if (operation === "propose_experiment") return { ...body, hypotheses: [versionId] }
    if (operation === "amend_experiment" && chance.happens(0.7))
      return { ...body, hypotheses: chance.happens(0.5) ? [] : [versionId] }
    if (operation === "post_research_checkpoint") return { ...body, citations: [versionId] }
    if (operation === "reuse_record" || operation.startsWith("assert_"))
      return "targetVersionId" in body ? { ...body, targetVersionId: versionId } : { ...body, versionId }
    if (operation === "link_experiment_finding")
      return {
        ...body,
        towardHypothesis: [{ versionId, verdict: chance.of(verdicts), explanation: "As it was run." }],
      }
    if (operation === "register_attempt") {
      const attemptId = chance.of(this.attempts)
      const materialId = chance.of(this.materials)
      const inputs = materialId === undefined ? [] : [{ materialId, name: "weights" }]
      if (body.intent === "reproduction" && attemptId !== undefined)
        return { ...body, inputs, reproduces: { attemptId } }
      return { ...body, inputs }
    }
    if (operation === "report_attempt_event" && ["succeeded", "failed"].includes(String(body.event)))
      return { ...body, reproduction: { verdict: "does_not_reproduce", explanation: "Not here." } }
    return body
  }

  /** @returns null for what was refused */
  async #send(
    actor: Actor,
    name: string,
    params: Readonly<Record<string, string>>,
    body: Members,
  ): Promise<Receipt | null> {
    try {
      return await this.#lab.admit({ actor, name: name as Sent["name"], params, body })
    } catch (error) {
      if (error instanceof Refusal) return null
      throw error
    }
  }
}
