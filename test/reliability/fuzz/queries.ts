/** Attack: query strings. Unknown cursors, searches with syntax, endless lists, repeated names. */
import fc from "fast-check"
import { valid } from "../../contract/bodies.ts"
import { type Anchors, known } from "./anchors.ts"
import { asked } from "./asking.ts"
import type { Ground } from "./ground.ts"
import { anything, arxivIds, forged, searches } from "./odd-values.ts"
import { type Shot, soundly } from "./shot.ts"
import { type Target, targets } from "./targets.ts"

/** A cursor returned by some list, slightly changed. */
const bent = (cursor: string, way: number, place: number): string => {
  const at = place % Math.max(1, cursor.length)
  const code = cursor.charCodeAt(at)
  switch (way % 6) {
    case 0:
      return cursor
    case 1:
      return cursor.slice(0, at)
    case 2:
      return cursor.slice(0, at) + String.fromCharCode(code ^ (1 << (place % 6))) + cursor.slice(at + 1)
    case 3:
      return cursor + cursor
    case 4:
      return cursor.toUpperCase()
    default:
      return `${cursor}=`
  }
}

/** A list of 10,000 words does not fit into a head; as many as fit. */
const wordLists = (schema: { items?: { enum?: readonly string[] } }): string[] => {
  const words = schema.items?.enum ?? []
  return [
    words.join(","),
    words.slice(0, 1).join(","),
    `${words.join(",")},`,
    Array.from({ length: 10_000 / 8 }, (_, index) => words[index % Math.max(1, words.length)]).join(","),
    `${words[0]},x`,
  ]
}

const exactly = (name: string, anchors: Anchors): fc.Arbitrary<string> | null => {
  const values = known(anchors, name).map(String)
  return values.length === 0 ? null : fc.constantFrom(...values)
}

/** Values for one parameter. */
function valuesFor(target: Target, name: string, anchors: Anchors): fc.Arbitrary<string> {
  const schema = target.query[name] ?? {}
  const right = exactly(name, anchors)
  if (name === "wait") return fc.constantFrom("0", "0", "0", "0", "0", "1", "26", "-1", "1.5", "1e9", "", "x")
  const cursors = known(anchors, "after").map(String)
  const bending = fc
    .tuple(fc.constantFrom("0", ...cursors), fc.nat(), fc.nat())
    .map(([cursor, way, place]) => bent(cursor, way, place))
  return fc.oneof(
    ...(right === null ? [] : [{ weight: 4, arbitrary: right }]),
    {
      weight: 2,
      arbitrary:
        schema.type === "array"
          ? fc.constantFrom(...wordLists(schema))
          : valid(schema, schema).map((value) => (typeof value === "string" ? value : JSON.stringify(value))),
    },
    ...(name === "after" || name === "offset"
      ? [{ weight: 8, arbitrary: fc.oneof(fc.constantFrom(...forged), bending) }]
      : []),
    ...(/query/.test(name)
      ? [
          { weight: 8, arbitrary: fc.constantFrom(...searches) },
          { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
        ]
      : []),
    ...(name === "arxivId" ? [{ weight: 4, arbitrary: fc.constantFrom(...arxivIds) }] : []),
    { weight: 2, arbitrary: fc.constantFrom(...anything) },
  )
}

const encoded = (text: string): string => {
  try {
    return encodeURIComponent(text)
  } catch {
    return "%EF%BF%BD"
  }
}

/** Extra names in a query. */
const otherNames = [
  "x",
  "",
  "rehearse",
  "limit",
  "after",
  "offset",
  "__proto__",
  "constructor",
  "next",
  "done",
  "entry",
  "focus",
  "ids",
  "query",
  "depth",
  "[]",
  "a[b]",
  "%ff",
  "wait",
]

/** Malformed query strings. */
const oddities = [
  "",
  "&&&",
  "=",
  "=&=",
  "a",
  "%",
  "%zz=%zz",
  "%ff=%fe",
  "a=b&a=c",
  ";",
  "a;b",
  "?",
  "+",
  "\u0000".replace("\u0000", "%00"),
  `${"a=b&".repeat(3_000)}`,
  "x".repeat(9_000),
]

/** Every route, with its own parameters and others. */
export function queries(ground: Ground): fc.Arbitrary<Shot> {
  return fc.oneof(
    ...targets
      .filter(({ method }) => method === "GET")
      .flatMap((target) => {
        const anchors = ground.agents
        const own = Object.keys(target.query)
        const names = own.length === 0 ? otherNames : own
        // A page's parameters are in no registry: it gets every name there is.
        const parameter = fc
          .oneof(
            { weight: 5, arbitrary: fc.constantFrom(...names) },
            { weight: 1, arbitrary: fc.constantFrom(...(target.isPage ? pageNames : otherNames)) },
          )
          .chain((name) => valuesFor(target, name, anchors).map((value) => `${name}=${encoded(value)}`))
        const query = fc.oneof(
          { weight: 12, arbitrary: fc.array(parameter, { maxLength: 3 }).map((all) => all.join("&")) },
          { weight: 1, arbitrary: fc.constantFrom(...oddities) },
        )
        const made = fc
          .tuple(asked(ground, target), query, fc.constantFrom("GET", "GET", "GET", "GET", "HEAD"))
          .map(([{ path, lines }, text, method]) =>
            soundly("queries", target, {
              method,
              target: `${path}?${text.slice(0, 12_000)}`,
              host: ground.host,
              headers: lines,
            }),
          )
        // Lists have more ways to fail than documents.
        return own.length > 1 ? [made, made, made] : [made]
      }),
  )
}

/** The parameter names of all reads. */
const pageNames: readonly string[] = [
  ...new Set([...targets.flatMap(({ query }) => Object.keys(query)), ...otherNames]),
].filter((name) => name !== "wait")
