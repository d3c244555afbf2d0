/** The compiler holds readers to what their reads declare: each line below that is expected to fail must fail. */
import t from "tap"
import { JsonText, parse, parsed, stored } from "../../src/contract/json.ts"
import type { RoomSummary } from "../../src/contract/nouns/rooms.ts"
import { answering, type FoundBy, type Readers } from "../../src/ledger/reads/reading.ts"

const context = {} as Exclude<FoundBy<"room_context">, JsonText>
const concept = {
  versionId: "",
  key: "",
  label: "",
  definition: "",
  recordLabel: "",
  recordKind: "finding",
  roomId: "",
} as const

t.test("what a reader may answer", async (t) => {
  const readers = answering({
    room_context: () => context,
    record_concept: () => concept,
    // A whole answer, or any part of one, may be its stored text.
    room: () =>
      new JsonText(stored<Extract<FoundBy<"room">, JsonText> extends JsonText<infer Answer> ? Answer : never>("{}")),
    concepts: () => ({ items: [new JsonText(stored<typeof concept>("{}"))], nextCursor: null, hasMore: false }),
  } satisfies Partial<Readers>)
  t.equal(Object.keys(readers).length, 4)
})

t.test("what it may not", async (t) => {
  // @ts-expect-error something else altogether
  answering({ room_context: () => ({ utterly: "wrong" }) })
  answering({
    // @ts-expect-error a member is missing
    record_concept: () => ({ versionId: "", key: "", label: "", definition: "", recordLabel: "", roomId: "" }),
  })
  // @ts-expect-error a member too many
  answering({ record_concept: () => ({ ...concept, note: "" }) })
  // @ts-expect-error a member too many, deep inside
  answering({ concepts: () => ({ items: [{ ...concept, note: "" }], nextCursor: null, hasMore: false }) })
  // @ts-expect-error a member of another type
  answering({ record_concept: () => ({ ...concept, label: 1 }) })
  answering({
    // @ts-expect-error text that says something else
    concepts: () => ({ items: [new JsonText(stored<RoomSummary>("{}"))], nextCursor: null, hasMore: false }),
  })
  // @ts-expect-error text of which nobody knows what it says
  answering({ concepts: () => ({ items: [new JsonText("{}")], nextCursor: null, hasMore: false }) })
  // @ts-expect-error not a page
  answering({ concepts: () => [concept] })
  // @ts-expect-error not the text that the read answers in
  answering({ collection_bibtex: () => ({}) })
  t.pass("the compiler says so")
})

t.test("stored text has, once parsed, the type it was made from", async (t) => {
  const text = stored<{ readonly one: number }>('{"one":1}')
  t.strictSame(parse(text), { one: 1 })
  t.strictSame(parsed<{ a: { one: number }[]; b?: string }>({ a: [new JsonText(text)], b: undefined as never }), {
    a: [{ one: 1 }],
  })
})
