/** Tokens: enough randomness, a checksum that detects a typo, and a prefix that names their kind. */
import fc from "fast-check"
import { test } from "tap"
import { mintToken, tokenDigest, tokenForm, type TokenKind, tokenPrefixes } from "../../src/people/tokens.ts"

const kinds = Object.keys(tokenPrefixes) as TokenKind[]
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const token = fc
  .tuple(
    fc.constantFrom(...kinds),
    fc.array(fc.uint8Array({ minLength: 30, maxLength: 30 }), { minLength: 8, maxLength: 8 }),
  )
  .map(([kind, chance]) => {
    let block = 0
    return {
      kind,
      token: mintToken(kind, () => Buffer.from((chance[block++ % 8] as Uint8Array).map((byte) => byte % 248))),
    }
  })

test("a token is valid as its own kind and as no other", (t) => {
  fc.assert(
    fc.property(token, ({ kind, token: made }) => {
      const forms = kinds.map((each) => tokenForm(each, made))
      return made.length === 40 && forms.every((form, index) => form === (kinds[index] === kind ? "whole" : "foreign"))
    }),
  )
  t.pass("for tokens of every kind")
  t.end()
})

test("the checksum detects one letter changed, lost, doubled or swapped with its neighbour", (t) => {
  const typo = fc.record({
    place: fc.integer({ min: 4, max: 39 }),
    letter: fc.constantFrom(...ALPHABET),
    way: fc.constantFrom("change", "lose", "double", "swap"),
  })
  fc.assert(
    fc.property(token, typo, ({ kind, token: made }, { place, letter, way }) => {
      const [before, here, after] = [made.slice(0, place), made[place] as string, made.slice(place + 1)]
      const mistyped = {
        change: before + letter + after,
        lose: before + after,
        double: before + here + here + after,
        swap: before + (after[0] ?? "") + here + after.slice(1),
      }[way]
      return mistyped === made || tokenForm(kind, mistyped) === "mistyped"
    }),
    { numRuns: 2_000 },
  )
  t.pass("2,000 typing mistakes")
  t.end()
})

test("every letter is equally likely, and no two tokens are equal", (t) => {
  const made = Array.from({ length: 2_000 }, () =>
    mintToken("credential", (count) => crypto.getRandomValues(Buffer.alloc(count))),
  )
  t.equal(new Set(made).size, made.length)
  const counts = new Map<string, number>()
  for (const letter of made.flatMap((each) => [...each.slice(4, 34)])) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  const expected = (made.length * 30) / 62
  t.equal(counts.size, 62)
  // Six standard deviations of a count of 968; fair randomness stays within them.
  for (const [letter, count] of counts)
    t.ok(Math.abs(count - expected) < 6 * Math.sqrt(expected), `${letter}: ${count}`)
  t.end()
})

test("only a SHA-256 is stored", (t) => {
  t.match(tokenDigest("rrc_anything"), /^[0-9a-f]{64}$/)
  t.equal(tokenDigest("rrc_anything"), tokenDigest("rrc_anything"))
  t.end()
})
