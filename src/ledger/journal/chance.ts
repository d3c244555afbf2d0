/** The ids, tokens and lists that one write takes from the world: recorded in a live write, given again in a replay. */
import { hash } from "node:crypto"
import type { Json } from "../../contract/json.ts"
import type { Given } from "./journal.ts"
import type { World } from "../world.ts"

/** A secret for its holder, and its stored digest. */
export interface Token {
  /** Empty in a replay: only its holder still has the text. */
  readonly token: string
  readonly digest: string
}

export interface Chance {
  newId(): string
  /** Makes a token from the random bytes that `mint` is given. */
  token(mint: (bytes: (count: number) => Buffer) => string): Token
  /**
   * Reads a list that is not derived from the journal, such as what sources say about papers. A replay returns the list
   * that was read originally.
   */
  readList<T extends Json>(read: () => readonly T[]): readonly T[]
  given(): Given
}

/** The digest under which a token is stored and found. */
export const tokenDigest = (token: string): string => hash("sha256", token)

/** Chance for a live write, taken from the world and recorded. */
export function liveChance(world: World): Chance {
  const ids: string[] = []
  const tokens: string[] = []
  const lists: Json[][] = []
  return {
    newId() {
      const id = world.id()
      ids.push(id)
      return id
    },
    token(mint) {
      const token = mint((count) => world.bytes(count))
      const digest = tokenDigest(token)
      tokens.push(digest)
      return { token, digest }
    },
    readList(read) {
      const list = read()
      lists.push([...list])
      return list
    },
    given: () => ({
      ...(ids.length > 0 && { ids }),
      ...(tokens.length > 0 && { tokens }),
      ...(lists.some(({ length }) => length > 0) && { told: lists }),
    }),
  }
}

/** A replay took something else from the world than the original write did. */
export class OtherChance extends Error {}

/**
 * Chance for a replay, taken from the record. @throws OtherChance if more is requested than was recorded, or, at
 * `given`, if less was requested
 */
export function recordedChance(then: Given): Chance {
  let ids = 0
  let tokens = 0
  let lists = 0
  const next = <T>(list: readonly T[] = [], at: number, what: string): T => {
    const found = list[at]
    if (found === undefined) throw new OtherChance(`it requests more ${what} than were recorded`)
    return found
  }
  return {
    newId: () => next(then.ids, ids++, "ids"),
    token: () => ({ token: "", digest: next(then.tokens, tokens++, "tokens") }),
    readList: <T extends Json>() => (then.told === undefined ? [] : (next(then.told, lists++, "lists") as T[])),
    given() {
      if (
        lists !== (then.told?.length ?? 0) ||
        ids !== (then.ids?.length ?? 0) ||
        tokens !== (then.tokens?.length ?? 0)
      )
        throw new OtherChance("it requests less than was recorded")
      return then
    },
  }
}
