/**
 * Attack: the forms of pages, as a browser sends them: the drafts of every operation, and forms that no browser would
 * send.
 */
import fc from "fast-check"
import { countName } from "../../../src/web/forms/draft.ts"
import { takenBy } from "./bodies.ts"
import { asked } from "./asking.ts"
import type { Ground } from "./ground.ts"
import { marker } from "./judge.ts"
import { type Shot, soundly } from "./shot.ts"
import { targetsWith } from "./targets.ts"

type Field = readonly [name: string, value: string]

/**
 * A body as the fields of a form: each value under its JSON Pointer; a list also with its number of items, and as
 * lines.
 */
function fieldsOf(value: unknown, pointer = ""): Field[] {
  if (typeof value !== "object" || value === null) return [[pointer, value === null ? "" : String(value)]]
  const inside = Object.entries(value).flatMap(([name, inner]) =>
    fieldsOf(inner, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  )
  if (!Array.isArray(value)) return inside
  return value.every((item) => typeof item === "string")
    ? [[pointer, value.join("\n")]]
    : [[countName(pointer), String(value.length)], ...inside]
}

const oddNames = [
  "",
  "/",
  "//",
  "/a",
  "/~2",
  "/__proto__/x",
  "/constructor/prototype/x",
  "/assertion",
  "/assertion/roles",
  "/assertion/roles/-1/role",
  "/assertion/roles/99999999/role",
  "/assertion/roles/1e9/value/type",
  "/roles/0/0/0",
  "_add",
  "_remove",
  "_preview",
  "_next",
  "_count",
  "roomId",
  "threadId",
  "next",
  "username",
  "password",
  "token",
  "/0/1/2/3/4/5/6/7/8/9",
  `/${"a/".repeat(500)}`,
]
const oddValues = [
  "",
  " ",
  "0",
  "-1",
  "1e9",
  "999999999",
  "null",
  "[]",
  "{}",
  marker,
  `"><script>${marker}`,
  "//evil.example",
  "/\\evil.example",
  "javascript:alert(1)",
  "/assertion/roles",
  "/metrics",
  "/__proto__",
  "\u0000",
  "𝔞",
  "x".repeat(5_000),
  "\r\nX-Injected: y",
]

/** Lists at their longest, and one textarea full of lines. */
const counts = [
  "/assertion/roles",
  "/evidence",
  "/premises",
  "/references",
  "/concepts",
  "/protocol/arms",
  "/metrics",
  "/outputs",
]
const floods: readonly string[] = [
  encoded(counts.map((path) => [countName(path), "1e9"])),
  encoded([["/hypotheses", Array.from({ length: 80_000 }, (_, index) => `x${index}`).join("\n")]]),
  encoded([["/openQuestions", "x\n".repeat(150_000)]]),
]

/** Texts that are not a form, or only just. */
const texts = [
  "",
  "&",
  "=",
  "a",
  "%",
  "%zz=%ff",
  "a=b;c=d",
  "a[]=1&a[b]=2",
  "{}",
  "\u0000",
  "&".repeat(50_000),
  "a=b&".repeat(20_000),
  `a=${"x".repeat(300_000)}`,
  "%00".repeat(1_000),
]

function encoded(fields: readonly Field[]): string {
  const params = new URLSearchParams()
  for (const [name, value] of fields) params.append(name.toWellFormed(), value.toWellFormed())
  return params.toString()
}

export function forms(ground: Ground): fc.Arbitrary<Shot> {
  const odd = fc.tuple(fc.constantFrom(...oddNames), fc.constantFrom(...oddValues))
  return fc.oneof(
    ...targetsWith(({ takesForm }) => takesForm).map((target) => {
      const draft =
        target.body === null ? fc.constant<Field[]>([]) : takenBy(target, ground.people).map((body) => fieldsOf(body))
      const text = fc.oneof(
        {
          weight: 12,
          arbitrary: fc
            .tuple(draft, fc.array(odd, { maxLength: 3 }), fc.array(fc.nat(), { maxLength: 2 }))
            .map(([fields, added, gone]) =>
              encoded([...fields.filter((_, index) => !gone.some((each) => each % fields.length === index)), ...added]),
            ),
        },
        { weight: 1, arbitrary: fc.constantFrom(...texts, ...floods) },
      )
      return fc.tuple(asked(ground, target), text).map(([{ path, lines }, body]) =>
        soundly("forms", target, {
          method: target.method,
          target: path,
          host: ground.host,
          headers: [...lines, "Content-Type: application/x-www-form-urlencoded"],
          body,
        }),
      )
    }),
  )
}
