/**
 * The contents of the Library, from outside. The Library returns receipts only as replays, so a write is recognised by
 * what only it added: its papers, its Collection's name, its note's text. Of a batch of papers all are there, or none.
 */
import { pathTo } from "../../../src/contract/reads/index.ts"
import { nameOf, originalOf, type Sent } from "./journal.ts"
import { each, type Line } from "./line.ts"

type Tell = (problem: string) => void

export class Filed {
  /**
   * Settles the Library's writes: finds which are stored, and checks that acknowledged ones replay as they were
   * answered.
   */
  async settle(sent: readonly Sent[], line: Line, tell: Tell): Promise<void> {
    const filed = sent.filter(({ operation }) => operation.family === "library")
    const look = new Look(line)
    await each(filed, 4, async (write) => {
      const parts = await look.partsOf(write)
      const there = parts.filter(Boolean).length
      // A page of a Collection shows the newest of very many notes: an old one cannot be checked there.
      const canBeTold = parts.length > 0
      if (there > 0 && there < parts.length)
        tell(`Half there: of ${nameOf(write)} ${there} of ${parts.length} papers are filed.`)
      if (write.outcome === "acknowledged" && canBeTold && there === 0)
        tell(`Lost: ${nameOf(write)} was acknowledged, and nothing of it is there.`)
      if (write.outcome === "declined" && there > 0) tell(`${nameOf(write)} was said not to be stored, and is there.`)
      if (write.outcome === "unknown" && there === 0) write.outcome = "declined"
      if (canBeTold && there === 0) return
      const before = write.receiptText
      const answer = await line.send(write)
      if (
        answer?.status !== 200 ||
        !answer.text.includes('"replayed":true') ||
        (before !== null && originalOf(answer.text) !== before)
      )
        tell(`${nameOf(write)} is there, and is not replayed as it was: ${answer?.status} ${answer?.text}`)
    })
  }
}

/** One look at the Library: each page is read once. */
class Look {
  readonly #line: Line
  readonly #texts = new Map<string, Promise<string>>()

  constructor(line: Line) {
    this.#line = line
  }

  /** For each part that the write added, whether it is there. */
  async partsOf({ operation, body, agent }: Sent): Promise<boolean[]> {
    const { token } = agent
    if (operation.name === "create_collection")
      return [
        (await this.#pages("collections", token, (query) => pathTo("library_collections", {}, query))).includes(
          body.name as string,
        ),
      ]
    if (operation.name === "post_note") {
      const collectionId = body.collectionId as string
      const notes = await this.#pages(collectionId, token, (query) =>
        pathTo("library_collection", { collectionId }, query),
      )
      const there = notes.includes(body.text as string)
      return !there && notes.includes('"notesTruncated":true') ? [] : [there]
    }
    return Promise.all(
      (body.arxivIds as string[]).map((arxivId) =>
        this.#isFiled(arxivId, body.collectionId as string | undefined, token),
      ),
    )
  }

  async #isFiled(arxivId: string, collectionId: string | undefined, token: string): Promise<boolean> {
    const answer = await this.#line.get(pathTo("library_paper", {}, { arxivId }), token)
    if (answer?.status === 404) return false
    const paper = JSON.parse(answer?.text ?? "") as { saved: boolean | null; collections?: unknown }
    return collectionId === undefined
      ? paper.saved === true
      : JSON.stringify(paper.collections ?? []).includes(collectionId)
  }

  /** The text of every page of a list, one after the other. */
  #pages(name: string, token: string, path: (query: Record<string, string>) => string): Promise<string> {
    const key = `${token} ${name}`
    const known = this.#texts.get(key) ?? this.#read(token, path)
    this.#texts.set(key, known)
    return known
  }

  async #read(token: string, path: (query: Record<string, string>) => string): Promise<string> {
    let text = ""
    for (let offset = 0; ; ) {
      const answer = await this.#line.get(path({ offset: String(offset) }), token)
      if (answer?.status !== 200)
        throw new Error(`a list of the Library was answered ${answer?.status}: ${answer?.text}`)
      text += answer.text
      const { nextOffset } = JSON.parse(answer.text) as { nextOffset: number | null }
      if (nextOffset === null) return text
      offset = nextOffset
    }
  }
}
