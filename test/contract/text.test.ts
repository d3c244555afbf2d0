/** Small parts that many stand on: escaped text, values that must exist, and the sentence about what is not proved. */
import fc from "fast-check"
import { test } from "tap"
import { escapeHtml, unescapedHtml } from "../../src/contract/text.ts"
import { unprovedWords } from "../../src/contract/unproved.ts"
import { present } from "../../src/contract/typed.ts"

const markup = fc.string({ unit: fc.constantFrom(..."<>&\"'#;", "amp", "39", "é", "𝔸"), maxLength: 20 })

test("escaped text has no markup, and is the text again when it is unescaped", (t) => {
  fc.assert(
    fc.property(markup, (text) => !/[<>"']/.test(escapeHtml(text)) && unescapedHtml(escapeHtml(text)) === text),
    { numRuns: 300 },
  )
  t.equal(unescapedHtml("&amp;#39; &eacute; &#39;"), "&#39; &eacute; '", "once, and only what was escaped")
  t.end()
})

test("a value that must exist is returned, and a missing one stops the work", (t) => {
  for (const value of [0, "", false]) t.equal(present(value), value)
  for (const missing of [null, undefined]) t.throws(() => present(missing), /must exist/)
  t.end()
})

test("what cannot be checked is told by its entries: one, all of several, or the first of many", (t) => {
  t.equal(unprovedWords({ entries: 0, sequences: [] }), "")
  t.match(unprovedWords({ entries: 1, sequences: [7] }), "Part of entry 7 was withheld")
  t.match(unprovedWords({ entries: 2, sequences: [7, 9] }), "Parts of entries 7, 9 (2 in all) were withheld")
  t.match(unprovedWords({ entries: 9, sequences: [7, 9] }), "Parts of entries 7, 9 and 7 more (9 in all) were withheld")
  t.end()
})
