/**
 * Writes to the Library. Each adds papers, a name or a text that no other write adds, because the Library has no feed:
 * its contents show which writes were stored.
 */
import { randomUUID } from "node:crypto"
import type { Chance } from "./chance.ts"
import type { Agent } from "./ground.ts"
import type { Sent, Thought } from "./journal.ts"

/** What the keys of one instance have stored. */
export class Files {
  #papers = 0
  /** Collections made with each key. */
  readonly collections = new Map<string, string[]>()
  /** Papers that are certainly in a Collection. */
  readonly #held: { collectionId: string; arxivId: string; agent: Agent }[] = []

  /** An arXiv id that was not used before. */
  #paper(): string {
    const n = this.#papers++
    const month =
      `${String(Math.floor(n / 1_200_000) % 100).padStart(2, "0")}` +
      `${String((Math.floor(n / 100_000) % 12) + 1).padStart(2, "0")}`
    return `${month}.${String(n % 100_000).padStart(5, "0")}`
  }

  learn({ agent, operation, body }: Sent, result: Readonly<Record<string, unknown>>): void {
    const collectionId = result.collectionId as string
    if (operation.name === "create_collection")
      this.collections.set(agent.name, [...(this.collections.get(agent.name) ?? []), collectionId])
    if (operation.name === "add_papers")
      this.#held.push({ collectionId, arxivId: (body.arxivIds as string[])[0] as string, agent })
    if (this.#held.length > 40) this.#held.shift()
  }

  think(agent: Agent, chance: Chance): Thought {
    const common = { schemaVersion: 1, requestId: randomUUID() }
    const papers = () => Array.from({ length: chance.between(1, 4) }, () => this.#paper())
    const mine = this.collections.get(agent.name) ?? []
    const collectionId = chance.of(mine.slice(-3))
    if (collectionId === undefined || (chance.oneIn(12) && mine.length < 60))
      return { name: "create_collection", body: { ...common, name: `Papers ${randomUUID()}` } }
    const noted = chance.of(this.#held.filter((held) => held.agent === agent))
    if (noted !== undefined && chance.oneIn(3)) {
      const { collectionId, arxivId } = noted
      return { name: "post_note", body: { ...common, collectionId, arxivId, text: `Note ${randomUUID()}` } }
    }
    if (chance.oneIn(2)) return { name: "save_papers", body: { ...common, arxivIds: papers() } }
    return { name: "add_papers", body: { ...common, collectionId, arxivIds: papers() } }
  }
}
