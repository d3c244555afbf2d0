/** The strict JSON reader, compared with a slow and obvious one: a parser that looks at every token by itself. */
import { setImmediate as turn } from "node:timers/promises"
import * as fc from "fast-check"
import { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { readJson, readJsonInTurns } from "../../src/contract/schema/validation.ts"
import { obvious } from "./obvious-json.ts"
import { runs } from "../support/chance.ts"

const white = fc.constantFrom("", "", "", " ", "\n", "\t \r")
const digits = fc.stringMatching(/^[0-9]{1,22}$/)
const whole = fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,22}$/))
const number = fc
  .tuple(
    fc.constantFrom("", "-"),
    whole,
    fc.option(digits, { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e-", "e+"), fc.stringMatching(/^[0-9]{1,4}$/)), {
      nil: undefined,
      freq: 2,
    }),
  )
  .map(
    ([sign, before, after, power]) =>
      `${sign}${before}${after === undefined ? "" : `.${after}`}${power?.join("") ?? ""}`,
  )
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)
/** Few names, so that they repeat; some of them escaped. */
const name = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '""', '"a\\\\"', '"\\"a"', '"/~"'),
  fc.string({ maxLength: 60 }).map((text) => JSON.stringify(text)),
)
const string = fc.string({ maxLength: 80, unit: "binary" }).map((text) => JSON.stringify(text))

const { json } = fc.letrec<{ json: string; list: string; object: string; scalar: string }>((tie) => ({
  scalar: fc.oneof(number, double, string, fc.constantFrom("true", "false", "null")),
  list: fc
    .tuple(white, fc.array(tie("json"), { maxLength: 5 }))
    .map(([space, items]) => `[${space}${items.join(`${space},`)}]`),
  object: fc
    .tuple(white, fc.array(fc.tuple(name, white, tie("json")), { maxLength: 24 }))
    .map(
      ([space, members]) =>
        `{${members.map(([key, gap, value]) => `${space}${key}${gap}:${gap}${value}`).join(",")}${space}}`,
    ),
  json: fc.oneof({ maxDepth: 5 }, tie("scalar"), tie("list"), tie("object")),
}))
/** A text with one character removed, inserted or changed: usually no longer JSON. */
const spoilt = fc
  .tuple(
    json,
    fc.nat(),
    fc.constantFrom("", '"', "\\", ",", ":", "[", "]", "{", "}", "0", "-", ".", "e", "\u0001", "x"),
    fc.nat(1),
  )
  .map(([text, place, sign, taken]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + sign + text.slice(at + taken)
  })

const agrees = (text: string): void => {
  const read = readJson(text)
  const expected = obvious(text)
  if (expected.value !== undefined) {
    if (!read.ok) throw new Error(`not taken: ${text}`)
    // Written out, for a member called __proto__ and the order of members.
    if (JSON.stringify(read.value) !== JSON.stringify(expected.value)) throw new Error(`another value: ${text}`)
  } else if (read.ok) throw new Error(`taken: ${text}`)
  else if (expected.paths !== null) {
    const paths = read.issues.map(({ path }) => path).filter((path) => path !== "" || expected.paths?.includes(""))
    if (JSON.stringify(paths.slice(0, limits.issues)) !== JSON.stringify(expected.paths.slice(0, limits.issues)))
      throw new Error(`${JSON.stringify(paths)} in place of ${JSON.stringify(expected.paths)}: ${text}`)
  }
}

test("all JSON is read as the engine reads it, unless something would be lost; that is reported by its path", (t) => {
  fc.assert(fc.property(json, agrees), { numRuns: runs(3_000, 600) })
  t.end()
})

test("text that is not JSON is not read", (t) => {
  fc.assert(fc.property(spoilt, agrees), { numRuns: runs(6_000, 1_200) })
  t.end()
})

test("a number is accepted exactly if its double, written out, is the same number", (t) => {
  fc.assert(
    fc.property(fc.oneof(number, double), (text) => readJson(text).ok === (obvious(text).value !== undefined)),
    { numRuns: runs(20_000, 4_000) },
  )
  const kept = [
    "0",
    "0.0",
    "0e9999",
    "1.0",
    "1e2",
    "1E+2",
    "100e-2",
    "0.30000000000000004",
    "5e-324",
    "1.7976931348623157e308",
  ]
  const more = [
    "9007199254740992",
    "9007199254740994",
    "123456789012345680000",
    "-1",
    "-0.5",
    "0.1",
    "1e21",
    "1e-7",
    "4.9406564584124657e-1",
  ]
  for (const text of [...kept, ...more]) t.ok(readJson(text).ok, text)
  const lost = [
    "9007199254740993",
    "1e400",
    "-1e400",
    "1e-400",
    "-0",
    "-0.0",
    "-0e5",
    "0.1000000000000000055511151231257827",
    "4.94e-324",
  ]
  for (const text of [...lost, "1e99999999999999999999", "123456789012345678901", `0.${"0".repeat(400)}1`])
    t.notOk(readJson(text).ok, text)
  t.end()
})

const pathsIn = (text: string): unknown => {
  const read = readJson(text)
  return read.ok ? [] : read.issues.map(({ path }) => path)
}

test("each fault is reported at its place", (t) => {
  t.strictSame(pathsIn('{"a":[1,{"b":-0}],"c":1,"c":2,"d":1e400}'), ["/a/1/b", "/c", "/d"])
  t.strictSame(pathsIn('{"a":1,"\\u0061":2}'), ["/a"], "however the name is written")
  t.strictSame(pathsIn('{"x~/":{"y":1,"y":2}}'), ["/x~0~1/y"])
  t.strictSame(pathsIn('{"a":{"b":1},"b":{"a":1},"c":[{"a":1},{"a":2}]}'), [], "each object has its own names")
  t.strictSame(
    pathsIn(`{"a":${"[".repeat(200)}`),
    [`/a${"/0".repeat(limits.nesting - 1)}`],
    "too deep, before the text is looked at further",
  )
  t.strictSame(pathsIn(`{"b":1,"a":[${"0,".repeat(limits.bodyValues)}0]}`), ["/a"], "too many")
  t.ok(readJson(`[${"0,".repeat(limits.bodyValues - 2)}0]`).ok, "as many as allowed")
  t.ok(readJson(`${"[".repeat(limits.nesting)}${"]".repeat(limits.nesting)}`).ok, "as deep as allowed")
  t.end()
})

test("a refusal stays short, however much it reports", (t) => {
  const long = "n".repeat(900_000)
  for (const text of [
    `{"${long}":[${"-0,".repeat(5_000)}-0]}`,
    `{${`"${long.slice(0, 9_000)}":1,`.repeat(100)}"a":1}`,
  ]) {
    const read = readJson(text)
    t.notOk(read.ok)
    t.ok(JSON.stringify(read).length < 250_000)
    if (!read.ok) t.equal(read.issues.length <= limits.issues + 1, true)
  }
  t.end()
})

/** Reads a text in turns, and counts the turns that others got meanwhile. */
async function turnsOf(text: string) {
  let isDone = false
  const reading = readJsonInTurns(text).finally(() => (isDone = true))
  await Promise.resolve()
  let turns = 0
  for (; !isDone; turns += 1) await turn()
  return { turns, read: await reading }
}

test("a body of the largest size is read in pieces, between which others get the thread", async (t) => {
  const texts = {
    numbers: `[${"1.5000000000000000000000000000000000,".repeat(26_000)}1]`,
    names: `{${Array.from({ length: 13_000 }, (_, index) => `"${"n".repeat(60)}${index}":null`).join(",")}}`,
    "white space": `{${" ".repeat(1_000_000)}"a":1}`,
    "a fault at its end": `{"a":[${"true, ".repeat(20_000)}1],${"\n".repeat(800_000)}"b":-0}`,
    "no JSON from its middle on": `[${"0,".repeat(14_000)}${" ".repeat(500_000)}}`,
  }
  for (const [name, text] of Object.entries(texts)) {
    const { turns, read } = await turnsOf(text)
    t.ok(turns >= Math.floor(text.length / 70_000), `${name}: ${turns} turns for ${text.length} characters`)
    t.strictSame(read, readJson(text), name)
  }
  const { turns, read } = await turnsOf('{"text":"short"}')
  t.strictSame([turns, read], [0, { ok: true, value: { text: "short" } }], "a short one waits for nobody")
})
