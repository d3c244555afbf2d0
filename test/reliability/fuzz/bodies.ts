/** Attack: JSON bodies, from valid ones and near misses to bodies that no route accepts. */
import fc from "fast-check"
import { limits } from "../../../src/contract/limits.ts"
import { jsonText, valid } from "../../contract/bodies.ts"
import { type Spoiling, spoil } from "../../contract/spoiling.ts"
import { type Anchors, known, situations } from "./anchors.ts"
import { asked } from "./asking.ts"
import type { Ground } from "./ground.ts"
import { type Shot, soundly } from "./shot.ts"
import { type Target, targetsWith } from "./targets.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A value with existing ids in place of made-up ones; one in thirty-two places is left unchanged. */
function grounded(value: unknown, name: string, anchors: Anchors, picks: () => number): unknown {
  const pick = picks()
  const here = known(anchors, name)
  if (name !== "schemaVersion" && here.length > 0 && pick % 32 > 0 && !Array.isArray(value)) {
    const chosen = here[(pick >> 5) % here.length]
    if (typeof chosen === typeof value) return chosen
  }
  if (
    typeof value === "string" &&
    UUID.test(value) &&
    !/^(?:requestId|clientMessageId|attemptId)$/.test(name) &&
    pick % 4 > 0
  ) {
    const versions = known(anchors, "versionId")
    if (versions.length > 0) return versions[pick % versions.length]
  }
  if (Array.isArray(value)) return value.map((inner) => grounded(inner, name, anchors, picks))
  if (typeof value !== "object" || value === null) return value
  const made = {}
  for (const [member, inner] of Object.entries(value))
    Object.defineProperty(made, member, {
      value: grounded(inner, member, anchors, picks),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  return made
}

/** The same with the present state of an experiment or attempt, if the body has expectations. */
function situated(body: unknown, anchors: Anchors, pick: number): unknown {
  if (typeof body !== "object" || body === null || !("expectedRevision" in body) || pick % 8 === 0) return body
  const subject = "event" in body ? "attemptId" : "experimentId"
  const all = known(anchors, situations).filter((each) => Object.hasOwn(each as object, subject))
  return all.length === 0 ? body : { ...body, ...(all[(pick >> 3) % all.length] as object) }
}

const made = new Map<Target, fc.Arbitrary<unknown>>()

/** Bodies that match the schema of a target, about existing objects. */
export function takenBy(target: Target, anchors: Anchors): fc.Arbitrary<unknown> {
  const body = made.get(target) ?? valid(target.body ?? {}, target.body ?? {})
  made.set(target, body)
  return fc.tuple(body, fc.array(fc.nat(0xffff), { minLength: 7, maxLength: 7 })).map(([value, numbers]) => {
    let next = 0
    const body = grounded(value, "", anchors, () => numbers[next++ % numbers.length] as number)
    return situated(body, anchors, numbers[0] as number)
  })
}

const spoilings: fc.Arbitrary<Spoiling[]> = fc.array(fc.record({ place: fc.nat(), way: fc.nat(), pick: fc.nat() }), {
  minLength: 1,
  maxLength: 3,
})

/** Numbers and words that JSON can write, or almost can. */
const tokens: readonly string[] = [
  ...(
    "1e400 -1e400 -0 0.0 1e308 -1e308 5e-324 1e-400 9007199254740993 -9007199254740993 18446744073709551616 1E+2 " +
    "3.0 3e0"
  ).split(" "),
  `0.${"1".repeat(300)}`,
  "9".repeat(5_000),
  ..."01 +1 .5 1. 0x10 NaN Infinity -Infinity undefined - 1e tru nul 1_000".split(" "),
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\uD83D\\uDE00"',
  '"\\x41"',
  '"\t"',
  "'single'",
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  "/* a comment */ 1",
  "[,]",
  '{"a":1,}',
]

/** Replaces one value of a JSON text by a raw token. */
function withToken(text: string, place: number, token: string): string {
  const values = [...text.matchAll(/(?<=[:[,])(?:"(?:[^"\\]|\\.)*"(?!:)|-?[0-9][0-9.eE+-]*|true|false|null)/g)]
  const value = values[place % Math.max(1, values.length)]
  if (value === undefined) return token
  return text.slice(0, value.index) + token + text.slice(value.index + value[0].length)
}

/** Repeats one of the keys of an object, before or after the first. */
function withDoubledKey(text: string, place: number, token: string): string {
  const keys = [...text.matchAll(/[{,]("(?:[^"\\]|\\.)*"):/g)]
  const key = keys[place % Math.max(1, keys.length)]
  if (key === undefined) return text
  const at = key.index + 1
  return `${text.slice(0, at)}${key[1]}:${token},${text.slice(at)}`
}

/** Fills one of the lists or objects of a JSON text until the request is full: each item may be a fault of its own. */
function withFlood(text: string, place: number): string {
  const holders = [...text.matchAll(/[[{]/g)]
  const holder = holders[place % Math.max(1, holders.length)]
  if (holder === undefined) return text
  const isList = holder[0] === "["
  const items = isList
    ? Array.from({ length: 400_000 }, () => "0")
    : Array.from({ length: 60_000 }, (_, index) => `"k${index}":0`)
  const at = holder.index + 1
  return `${text.slice(0, at)}${items.join(",")}${text[at] === (isList ? "]" : "}") ? "" : ","}${text.slice(at)}`
}

/** Texts that exhaust a careless parser's stack or memory. */
const bombs: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("[", '{"a":', '[{"":'),
      fc.constantFrom(limits.nesting - 1, limits.nesting, limits.nesting + 1, 5_000, 150_000),
      fc.boolean(),
    )
    .map(([open, depth, isClosed]) => {
      const close = [...open]
        .filter((each) => each === "[" || each === "{")
        .reverse()
        .map((each) => (each === "[" ? "]" : "}"))
      return open.repeat(depth) + (isClosed ? `1${close.join("").repeat(depth)}` : "")
    }),
  fc.constantFrom(500_000, 1_000_000).map((count) => `[${"0,".repeat(count / 2 - 1)}0]`),
  fc.constant(`{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":0`).join(",")}}`),
  fc.constantFrom("a", "𝔞", "\\u0000", "\\ud800", " ").map((unit) => `"${unit.repeat(150_000)}"`),
)

const odd: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\r\n",
    "null",
    "[]",
    "{}",
    "0",
    '"text"',
    "{",
    "}",
    "nul",
    '{"schemaVersion":3',
    "{}{}",
    "{} x",
    "\u0000",
  ),
  fc.json(),
  fc.string({ unit: "binary", maxLength: 60 }),
)

/** JSON texts for a target: some valid, most not. */
export function textsFor(target: Target, anchors: Anchors): fc.Arbitrary<string> {
  const taken = takenBy(target, anchors)
  const text = taken.map(jsonText)
  const token = fc.constantFrom(...tokens)
  return fc.oneof(
    { weight: 30, arbitrary: text },
    {
      weight: 40,
      arbitrary: fc.tuple(taken, spoilings).map(([body, ways]) => jsonText(spoil(target.body ?? {}, body, ways))),
    },
    {
      weight: 12,
      arbitrary: fc.tuple(text, fc.nat(), token).map(([whole, place, each]) => withToken(whole, place, each)),
    },
    {
      weight: 12,
      arbitrary: fc.tuple(text, fc.nat(), token).map(([whole, place, each]) => withDoubledKey(whole, place, each)),
    },
    { weight: 4, arbitrary: fc.tuple(text, fc.nat()).map(([whole, cut]) => whole.slice(0, cut % (whole.length + 1))) },
    { weight: 4, arbitrary: odd },
    { weight: 1, arbitrary: fc.tuple(text, fc.nat()).map(([whole, place]) => withFlood(whole, place)) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        bombs,
        fc.tuple(text, fc.nat(), bombs).map(([whole, place, bomb]) => withToken(whole, place, bomb)),
      ),
    },
  )
}

/** Every route that accepts JSON. */
export function bodies(ground: Ground): fc.Arbitrary<Shot> {
  return fc.oneof(
    ...targetsWith(({ body, takesForm }) => body !== null && !takesForm).map((target) => {
      const anchors = target.caller === "session" ? ground.people : ground.agents
      const rehearsal = Object.hasOwn(target.query, "rehearse")
        ? fc.constantFrom("", "", "", "?rehearse=1")
        : fc.constant("")
      return fc
        .tuple(asked(ground, target), textsFor(target, anchors), rehearsal)
        .map(([{ path, lines }, body, query]) =>
          soundly("bodies", target, {
            method: target.method,
            target: path + query,
            host: ground.host,
            headers: [...lines, "Content-Type: application/json"],
            body,
          }),
        )
    }),
  )
}
