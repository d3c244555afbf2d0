/** The walk over a body finds exactly the ids that its schema calls references, each at its JSON Pointer. */
import fc from "fast-check"
import { test } from "tap"
import * as v from "valibot"
import { distinct, list, shape, uuid, variant } from "../../src/contract/schema/fields.ts"
import { jsonSchemaOf } from "../../src/contract/definitions/json-schema.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { namedIn, ref, refersIn, subject } from "../../src/contract/schema/parts.ts"

/** A schema, values of it, and the references in each, by path. */
interface Made {
  readonly schema: v.GenericSchema
  readonly value: fc.Arbitrary<{ value: unknown; named: Record<string, string> }>
}

const kinds = ["experiment", "plan", "record", "material"] as const
const leaf: fc.Arbitrary<Made> = fc.oneof(
  fc.constantFrom(...kinds).map((kind) => ({
    schema: ref(kind),
    value: fc.uuid().map((id) => ({ value: id, named: { "": id } })),
  })),
  fc.constant({ schema: uuid, value: fc.uuid().map((id) => ({ value: id, named: {} })) }),
  fc.constant({ schema: v.string(), value: fc.string().map((text) => ({ value: text, named: {} })) }),
)
const at = (step: string | number, named: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(named).map(([path, id]) => [
      `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}${path}`,
      id,
    ]),
  )
const names = fc.uniqueArray(fc.constantFrom("a", "b/c", "d~e", "f"), { minLength: 1, maxLength: 4 })

/** An object of the parts; the last one may be missing. */
const objectOf = (parts: readonly (readonly [string, Made])[]): Made => ({
  schema: shape(Object.fromEntries(parts.map(([name, { schema }]) => [name, v.exactOptional(schema)]))),
  value: fc.tuple(fc.boolean(), ...parts.map(([, { value }]) => value)).map(([short, ...made]) => {
    const held = made.slice(0, short ? -1 : undefined).map((each, index) => [parts[index]?.[0] ?? "", each] as const)
    return {
      value: Object.fromEntries(held.map(([name, { value }]) => [name, value])),
      named: Object.assign({}, ...held.map(([name, { named }]) => at(name, named))),
    }
  }),
})
const listOf = ({ schema, value }: Made): Made => ({
  schema: list(schema, 5),
  value: fc.array(value, { maxLength: 5 }).map((items) => ({
    value: items.map((item) => item.value),
    named: Object.assign({}, ...items.map(({ named }, index) => at(index, named))),
  })),
})
/** Two objects distinguished by `kind`, whose other properties have the same name but refer to different things. */
const eitherOf = (one: Made, other: Made): Made => ({
  schema: variant("kind", [
    shape({ kind: v.literal("one"), held: one.schema }),
    shape({ kind: v.literal("other"), held: other.schema }),
  ]),
  value: fc.oneof(
    ...(
      [
        ["one", one],
        ["other", other],
      ] as const
    ).map(([kind, { value }]) =>
      value.map((held) => ({ value: { kind, held: held.value }, named: at("held", held.named) })),
    ),
  ),
})
const { made } = fc.letrec<{ made: Made }>((tie) => ({
  made: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("made").map(listOf),
    fc.tuple(tie("made"), tie("made")).map(([one, other]) => eitherOf(one, other)),
    names
      .chain((keys) => fc.tuple(...keys.map((key) => tie("made").map((part) => [key, part] as const))))
      .map(objectOf),
  ),
}))

test("whatever the schema, the walk finds its references and nothing else", (t) => {
  fc.assert(
    fc.property(
      made.chain(({ schema, value }) => value.map((each) => ({ schema, ...each }))),
      ({ schema, value, named }) => {
        const body = v.parse(schema, value)
        const found = namedIn(schema, body).map(({ path, id }) => [path, id.toLowerCase()])
        t.strictSame(Object.fromEntries(found), named)
        if (found.length !== Object.keys(named).length) throw new Error("something was found twice")
      },
    ),
    { numRuns: 300 },
  )
  t.end()
})

test("each id comes with the object that holds it, also for ids of a list", (t) => {
  const schema = shape({
    execution: shape({ experimentId: subject("experiment"), attemptIds: distinct(ref("attempt"), 5) }),
  })
  const execution = { experimentId: "e", attemptIds: ["a"] }
  const [whole, part] = namedIn(schema, { execution })
  t.match(
    [whole, part],
    [
      { path: "/execution/experimentId", refers: { isSubject: true } },
      { path: "/execution/attemptIds/0", refers: { isSubject: false } },
    ],
  )
  t.equal(part?.siblings, execution)
  t.end()
})

test("a reference is an ordinary id on the wire", (t) => {
  t.strictSame(jsonSchemaOf(ref(["hypothesis", "finding"])), jsonSchemaOf(uuid))
  t.strictSame(jsonSchemaOf(ref("plan"), { refs: true }).refersTo, { named: ["plan"], isSubject: false })
  t.end()
})

/** Ids made by the sender: they refer to nothing yet. */
const madeBySender = new Set(["requestId", "clientMessageId", "register_attempt attemptId"])

test("every id in a body says what it refers to, or is the sender's own", (t) => {
  for (const { name, body } of operations) {
    const known = new Set(refersIn(body).map((each) => each.name))
    const ids = Object.entries(body.entries).flatMap(([entry, schema]) =>
      jsonSchemaOf(schema).title === "UUID" && !madeBySender.has(entry) && !madeBySender.has(`${name} ${entry}`)
        ? [entry]
        : [],
    )
    t.strictSame(
      ids.filter((entry) => !known.has(entry)),
      [],
      name,
    )
  }
  t.end()
})
