/** An agent that has a base URL and a credential, but no client library. */
import { held } from "../../support/contract.ts"

/** JSON of a shape that the agent does not know beforehand. */
export interface Json {
  readonly [member: string]: Json
}

/** An agent that has lost everything but its base URL and credential. */
export class Agent {
  readonly #baseUrl: string
  readonly #token: string
  #reads: readonly { readonly name: string; readonly path: string }[] = []

  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl
    this.#token = token
  }

  /** Public reads are anonymous; those below /api/agent take the credential. */
  async get(path: string): Promise<Json> {
    const response = await held(
      `${this.#baseUrl}${path}`,
      path.startsWith("/api/agent/") ? { headers: { authorization: `Bearer ${this.#token}` } } : {},
    )
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Json
  }

  learn(manifest: Json): void {
    this.#reads = manifest.reads as unknown as readonly { name: string; path: string }[]
  }

  /** Calls a read by its name in the manifest, with ids in the path and other parameters in the query. */
  read(name: string, given: Readonly<Record<string, string | number>> = {}): Promise<Json> {
    const rest = new Map(Object.entries(given))
    const path = this.#reads
      .find((read) => read.name === name)
      ?.path.replace(/\{(\w+)\}/g, (_place, id: string) => {
        const value = String(rest.get(id))
        rest.delete(id)
        return value
      })
    if (path === undefined) throw new Error(`the manifest has no read ${name}`)
    return this.get(
      rest.size === 0 ? path : `${path}?${new URLSearchParams([...rest].map(([key, value]) => [key, String(value)]))}`,
    )
  }

  /** Returns all items of a list, page by page along `links.next`. */
  async all(name: string, given: Readonly<Record<string, string | number>> = {}): Promise<Json[]> {
    const found: Json[] = []
    for (let page = await this.read(name, given); ; ) {
      found.push(...list(page.items))
      if (!page.hasMore) return found
      page = await this.get(text(page.links?.next))
    }
  }
}

export const list = (value: Json | undefined) => value as unknown as readonly Json[]
export const text = (value: Json | undefined) => value as unknown as string
export const number = (value: Json | undefined) => value as unknown as number
