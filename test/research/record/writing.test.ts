/** How answers are written: stored texts are copied verbatim wherever they occur, and everything else is plain JSON. */
import { deepStrictEqual } from "node:assert/strict"
import fc from "fast-check"
import t from "tap"
import { JsonText, stored, type Writable, writeJson } from "../../../src/contract/json.ts"

/** The value after everything in it is parsed. */
function plain(value: Writable): unknown {
  if (value instanceof JsonText) return JSON.parse(value.text)
  if (Array.isArray(value)) return value.map((item: Writable) => plain(item ?? null))
  if (typeof value !== "object" || value === null) return value ?? null
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, plain(inner)]])),
  )
}

/** Texts that look like the writer's own markers. None holds NUL, which the service refuses everywhere. */
const strings = fc.oneof(
  fc.string({ unit: "binary" }).filter((text) => !text.includes("\u0000")),
  fc.constantFrom("\\u0000", '"\\u0000"', '\\"\\u0000\\"', "u0000", "\\", "\u2028"),
)
const texts = fc.jsonValue({ maxDepth: 2 }).map((value) => new JsonText(stored(JSON.stringify(value))))
const { tree } = fc.letrec<{ tree: Writable }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    strings as fc.Arbitrary<Writable>,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    texts,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(
      strings.filter((name) => name !== "__proto__"),
      tie("tree"),
      { maxKeys: 4 },
    ),
  ),
}))

t.test("any value with stored texts anywhere inside is written as the same JSON", (t) => {
  fc.assert(
    fc.property(tree, (value) =>
      deepStrictEqual(JSON.parse(writeJson(value)), JSON.parse(JSON.stringify(plain(value)))),
    ),
    { numRuns: 1_000 },
  )
  t.pass("a thousand values")
  t.end()
})

t.test("stored texts are copied byte by byte, in their order", (t) => {
  const [one, two] = [new JsonText(stored('{ "b":1.0, "a":"\\u00e9" }')), new JsonText(stored("[1e2]"))]
  t.equal(
    writeJson({ items: [{ one, inner: { two } }, two], left: undefined, one }),
    '{"items":[{"one":{ "b":1.0, "a":"\\u00e9" },"inner":{"two":[1e2]}},[1e2]],"one":{ "b":1.0, "a":"\\u00e9" }}',
  )
  t.equal(writeJson([undefined, one]), `[null,${one.text}]`)
  t.equal(writeJson(one), one.text)
  t.equal(writeJson([{ plain: "\u0000" }]), '[{"plain":"\\u0000"}]')
  t.throws(
    () => writeJson([{ one, broken: "\u0000" }]),
    /holds NUL/,
    "text that could be mistaken for a marker is refused",
  )
  t.end()
})
