/** Small parts that everything stands on: escaped text, and values that must exist. */
import fc from "fast-check"
import { test } from "tap"
import { escapeHtml, unescapedHtml } from "../../src/contract/text.ts"
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
