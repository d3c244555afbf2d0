/** What a program comes in with, a Room credential or a personal key: whether it is one, is known here, and still holds. */
import { Refusal } from "../contract/refusals/refusal.ts"
import { isoTime } from "../ledger/world.ts"
import { tokenDigest, tokenForm, tokenPrefixes } from "./tokens.ts"

/** How long a token holds. */
export interface TokenLife {
  readonly expiresAt: string
  readonly revokedAt: string | null
}

const kinds = {
  credential: {
    name: "credential",
    foreign: "This is not a Room credential.",
    other: tokenPrefixes.personalKey,
    mixedUp: "A personal key opens the Library only; this route takes a Room credential.",
  },
  personalKey: {
    name: "personal key",
    foreign: "This is not a personal key.",
    other: tokenPrefixes.credential,
    mixedUp: "A Room credential does not open a Library; this route takes a personal key.",
  },
} as const

const refused = (why: string) => new Refusal("not_authenticated", why)

/** The digest that a token is known by. @throws Refusal `not_authenticated`, saying what is wrong with it as far as its holder may know */
export function bearerDigest(kind: keyof typeof kinds, token: string): string {
  const { name, foreign, other, mixedUp } = kinds[kind]
  const form = tokenForm(kind, token)
  if (form === "foreign") throw refused(token.startsWith(other) ? mixedUp : foreign)
  if (form === "mistyped") throw refused(`This ${name} is mistyped or cut off: its checksum does not match.`)
  return tokenDigest(token)
}

/** What was found of a token. @throws Refusal `not_authenticated` where nothing was, and when it is over */
export function mustHold<L extends TokenLife>(kind: keyof typeof kinds, found: L | undefined, at: string): L {
  const { name } = kinds[kind]
  if (found === undefined) throw refused(`This ${name} is unknown here.`)
  if (found.revokedAt !== null) throw refused(`This ${name} was revoked at ${found.revokedAt}.`)
  if (found.expiresAt <= at) throw refused(`This ${name} expired at ${found.expiresAt}.`)
  return found
}

/** The last use of a token is noted at most this often, in milliseconds: it must not cost a write each time. */
const LAST_USE_STEP = 60_000

/** The moment before which a use must have been noted last, for one to be noted again; one noted in the future by a wrong clock is noted again too. */
export const lastUseBefore = (at: string): string => isoTime(Date.parse(at) - LAST_USE_STEP)

/** Says of each credential or key whether a use is to be noted: reads are uses too, and must not cost a write each time. */
export function usesDue(): (id: string, at: string) => boolean {
  /** When a use was last noted, in milliseconds. */
  const noted = new Map<string, number>()
  return (id, at) => {
    const now = Date.parse(at)
    if (now - (noted.get(id) ?? 0) < LAST_USE_STEP) return false
    noted.set(id, now)
    return true
  }
}
