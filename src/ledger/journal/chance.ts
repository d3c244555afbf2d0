/** What the world gives to one write, noted as it is given; in a replay, what it gave then. */
import { createHash } from "node:crypto"
import type { Json } from "../../contract/json.ts"
import type { Given } from "./journal.ts"
import type { World } from "../world.ts"

/** A secret for its holder, and what is stored of it. */
export interface Token {
  /** Empty in a replay: nobody has it any more but its holder. */
  readonly token: string
  readonly digest: string
}

export interface Chance {
  newId(): string
  /** Makes a token with the chance that `mint` is given. */
  token(mint: (bytes: (count: number) => Buffer) => string): Token
  /** Reads a list of what no write makes, such as what sources say of papers. A replay gets what was read then. */
  told<T extends Json>(read: () => readonly T[]): readonly T[]
  /** What was given so far. */
  given(): Given
}

/** What a token is stored and found by. */
export const tokenDigest = (token: string): string => createHash("sha256").update(token).digest("hex")

/** Chance as it comes. */
export function fresh(world: World): Chance {
  const ids: string[] = []
  const tokens: string[] = []
  const told: Json[][] = []
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
    told(read) {
      const list = read()
      told.push([...list])
      return list
    },
    given: () => ({
      ...(ids.length > 0 && { ids }),
      ...(tokens.length > 0 && { tokens }),
      ...(told.some(({ length }) => length > 0) && { told }),
    }),
  }
}

/** A replay asked the world for something else than the write did. */
export class OtherChance extends Error {}

/** Chance as it came then. @throws OtherChance when more is asked for, or at `given` less, than was given */
export function again(then: Given): Chance {
  let ids = 0
  let tokens = 0
  let told = 0
  const next = <T>(list: readonly T[] = [], at: number, what: string): T => {
    const found = list[at]
    if (found === undefined) throw new OtherChance(`it asks for more ${what} than it was given`)
    return found
  }
  return {
    newId: () => next(then.ids, ids++, "ids"),
    token: () => ({ token: "", digest: next(then.tokens, tokens++, "tokens") }),
    told: <T extends Json>() => (then.told === undefined ? [] : (next(then.told, told++, "what no write makes") as T[])),
    given() {
      if (told !== (then.told?.length ?? 0) || ids !== (then.ids?.length ?? 0) || tokens !== (then.tokens?.length ?? 0))
        throw new OtherChance("it asks for less than it was given")
      return then
    },
  }
}
