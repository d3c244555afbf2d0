/**
 * Finds words of a withheld text in what its owner writes about it, so that a secret is not published again by the
 * reason for its removal, or by a message soon after.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Refusal } from "../../contract/refusals/refusal.ts"

/** A word of so many signs with a digit in it, or so many signs in a row, may be a secret. */
const WORD = 8
const RUN = 24
/** How long messages are compared, and with how many words of how many withholdings. */
const HOUR_MS = 3_600_000
const MOST_WORDS = 20_000
const MOST_KEPT = 200

/** The words of a text that may be secrets: long ones with a digit, and runs of many signs. */
const wordsOf = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}_+/.-]{8,}/gu) ?? [])
    .map((word) => word.replace(/^[.-]{1,99}/, "").replace(/(?<![.-])[.-]{1,99}$/, ""))
    .filter((word) => (word.length >= WORD && /\d/.test(word)) || word.length >= RUN)
    .slice(0, MOST_WORDS)

/** The words and runs of withheld texts that a text repeats. */
export function repeatedIn(text: string, withheld: readonly string[]): string[] {
  const lower = text.toLowerCase()
  const runs = new Map<string, number>()
  for (let at = 0; at + RUN <= lower.length; at += 1) runs.set(lower.slice(at, at + RUN), at)
  const found = new Set<string>()
  for (const secret of withheld) {
    const own = secret.toLowerCase()
    for (const word of new Set(wordsOf(own))) if (lower.includes(word)) found.add(word)
    for (let at = 0; found.size === 0 && at + RUN <= own.length; at += 1) {
      const run = own.slice(at, at + RUN)
      if (runs.has(run)) found.add(run.trim())
    }
  }
  return [...found]
}

/** @throws Refusal `invalid_schema` that names the words, unless there are none */
export function mustNotRepeat(path: string, words: readonly string[]): void {
  if (words.length === 0) return
  const named = words.slice(0, 5).map((word) => `“${word.slice(0, 60)}”`)
  const message = `repeats ${named.join(", ")} of what is withheld`
  throw new Refusal("invalid_schema", `The text ${message}. Nothing was stored. Say it in other words.`, {
    issues: [{ path, message }],
  })
}

interface Kept {
  readonly userId: string
  readonly until: number
  /** The key of a withheld place: it is found once the withholding is stored. */
  readonly mark: string
  readonly digests: ReadonlySet<string>
}

export type LatelyWithheld = ReturnType<typeof latelyWithheld>

/**
 * Remembers for an hour, in memory and only by keyed digests, which words a person withheld.
 * @param isWithheld whether the place with this key is withheld
 */
export function latelyWithheld(isWithheld: (mark: string) => boolean) {
  const key = randomBytes(32)
  const digestOf = (word: string) => createHmac("sha256", key).update(word.toLowerCase()).digest("base64url")
  let kept: Kept[] = []
  return {
    note(userId: string, mark: string, texts: readonly string[], at: number): void {
      const digests = new Set(texts.flatMap(wordsOf).map(digestOf))
      kept = [
        ...kept.filter(({ until }) => until > at).slice(1 - MOST_KEPT),
        { userId, mark, digests, until: at + HOUR_MS },
      ]
    },
    /** The words of a text that this person withheld within the last hour. */
    repeatedIn(userId: string, text: string, at: number): string[] {
      const own = kept.filter((each) => each.userId === userId && each.until > at && isWithheld(each.mark))
      return own.length === 0
        ? []
        : [...new Set(wordsOf(text))].filter((word) => own.some(({ digests }) => digests.has(digestOf(word))))
    },
  }
}
