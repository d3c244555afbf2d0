/**
 * The check from outside: compares the answers of a restarted service over HTTP with those its writers got. Every
 * stored write must be there whole (receipt, object, timeline, activity), once; every other write must have left
 * nothing.
 */
import { pathTo } from "../../../src/contract/reads/index.ts"
import type { Chance } from "./chance.ts"
import { Feeds } from "./feeds.ts"
import type { Ground } from "./ground.ts"
import { nameOf, originalOf, type Sent, stored } from "./journal.ts"
import { Filed } from "./filed.ts"
import { each, Line } from "./line.ts"
import { Objects } from "./objects.ts"

/** Requests under way at once. */
const LANES = 8
/** Refusals of a guarded write because the state has changed since it was first sent. */
const OVERTAKEN: ReadonlySet<number> = new Set([403, 409, 422])

export interface Settled {
  /** Unanswered writes: how many were found stored, how many were not. */
  readonly found: number
  readonly absent: number
}

/** The expected contents of one data folder, across all restarts of the service. */
export class Account {
  readonly #ground: Ground
  readonly #feeds: Feeds
  readonly #objects: Objects
  readonly #filed: Filed
  /** Every write that is stored. */
  readonly #stored: Sent[] = []
  readonly problems: string[] = []

  private constructor(ground: Ground, feeds: Feeds, objects: Objects) {
    this.#ground = ground
    this.#feeds = feeds
    this.#objects = objects
    this.#filed = new Filed()
  }

  /** Reads the data before any writes. */
  static async open(ground: Ground, baseUrl: string): Promise<Account> {
    const line = new Line(baseUrl, LANES)
    const account = new Account(ground, await Feeds.open(ground.rooms, line), await Objects.open(ground.rooms, line))
    line.close()
    return account
  }

  get storedWrites(): readonly Sent[] {
    return this.#stored
  }

  #told = (problem: string) => {
    this.problems.push(problem)
  }

  /**
   * Checks a restarted service.
   * @param sent what was sent since the last look
   * @returns the outcome of the unanswered writes, which are settled now
   */
  async look(baseUrl: string, sent: readonly Sent[]): Promise<Settled> {
    const line = new Line(baseUrl, LANES)
    const open = sent.filter(({ outcome }) => outcome === "unknown")
    await this.#settle(sent, line)
    await this.#hold(sent, line)
    line.close()
    const found = open.filter(({ outcome }) => outcome === "acknowledged").length
    return { found, absent: open.length - found }
  }

  /** Receipts: each acknowledged one byte for byte, none for declined writes, and a result for every unknown one. */
  async #settle(sent: readonly Sent[], line: Line): Promise<void> {
    await this.#filed.settle(sent, line, this.#told)
    const inRooms = sent.filter(({ operation }) => operation.family === "research")
    await each(inRooms, LANES, async (write) => {
      const { operation, deliveryId, agent, rehearsed } = write
      const asked = { operation: operation.name, [operation.delivery]: deliveryId }
      const answer = await line.get(pathTo("receipt", {}, asked), agent.token)
      if (answer?.status === 404) {
        if (write.outcome === "acknowledged") this.#told(`Lost: ${nameOf(write)} was acknowledged and has no receipt.`)
        else write.outcome = "declined"
      } else if (answer?.status !== 200) {
        this.#told(`The receipt of ${nameOf(write)} is answered ${answer?.status}: ${answer?.text}`)
      } else if (write.outcome === "declined" || rehearsed) {
        this.#told(`${nameOf(write)} was said not to be stored, and has a receipt.`)
      } else if (write.outcome === "unknown") {
        stored(write, answer.text)
      } else if (answer.text !== write.receiptText) {
        this.#told(`The receipt of ${nameOf(write)} is not the one it was:\n  ${write.receiptText}\n  ${answer.text}`)
      }
    })
  }

  /** Feeds, objects and numbers match the receipts, with nothing else. */
  async #hold(sent: readonly Sent[], line: Line): Promise<void> {
    const known = new Set(this.#stored)
    const fresh = sent.filter((write) => write.outcome === "acknowledged" && !known.has(write))
    this.#stored.push(...fresh)
    await this.#feeds.take(fresh, sent, line, this.#told)
    await this.#objects.take(fresh, sent, line, this.#told)
  }

  /**
   * Sends writes again: all that were unknown, and some that were acknowledged. Stored ones are replayed unchanged; the
   * others are accepted now, or refused because the state has changed.
   * @returns how many were accepted now
   */
  async sendAgain(baseUrl: string, doubtful: readonly Sent[], chance: Chance): Promise<number> {
    const line = new Line(baseUrl, LANES)
    const some = Array.from({ length: Math.min(40, this.#stored.length) }, () => chance.of(this.#stored) as Sent)
    const again = [...new Set([...doubtful.filter(({ rehearsed }) => !rehearsed), ...some])]
    let taken = 0
    await each(again, LANES, async (write) => {
      const before = write.receiptText
      write.outcome = before === null ? "unknown" : "acknowledged"
      const answer = await line.send(write)
      const replayed = answer?.text.includes('"replayed":true') === true
      if (answer?.status === 200 && before !== null) {
        if (!replayed || originalOf(answer.text) !== before)
          this.#told(`${nameOf(write)} is not replayed as it was: ${answer.text}`)
      } else if (answer?.status === 200) {
        taken += 1
        if (replayed) this.#told(`${nameOf(write)} had no receipt, and is replayed.`)
      } else if (before !== null || answer === null || !OVERTAKEN.has(answer.status)) {
        this.#told(`${nameOf(write)}, sent again, is answered ${answer?.status}: ${answer?.text}`)
      }
    })
    line.close()
    await this.look(baseUrl, again)
    return taken
  }

  /** Checks everything from the start, like a first-time reader of this service. */
  async lookAtAll(baseUrl: string): Promise<void> {
    const line = new Line(baseUrl, LANES)
    const feeds = await Feeds.open(this.#ground.rooms, line, this.#feeds.baseline)
    await feeds.take(this.#stored, this.#stored, line, this.#told)
    await this.#settle(this.#stored, line)
    await this.#objects.all(this.#stored, line, this.#told)
    line.close()
  }
}
