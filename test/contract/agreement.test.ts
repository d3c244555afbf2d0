/**
 * The running validator and the exported JSON Schema accept the same bodies. Bodies are generated from the schemas, so
 * an operation added to the registry is covered without another line.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import fc from "fast-check"
import t from "tap"
import { actions } from "../../src/contract/operations/actions.ts"
import { time } from "../../src/contract/schema/fields.ts"
import { inputSchema, type JsonSchema, jsonSchemaOf } from "../../src/contract/definitions/json-schema.ts"
import { limits } from "../../src/contract/limits.ts"
import { checkBody, type Operation } from "../../src/contract/definitions/operation.ts"
import { operationNamed, operations } from "../../src/contract/operations/index.ts"
import { type Checked, check } from "../../src/contract/schema/validation.ts"
import { bodies, holdsHalfCharacter, jsonText } from "./bodies.ts"
import { faults, isPlace } from "./faults.ts"
import { everySpoiling } from "./spoiling.ts"
import { runs } from "../support/chance.ts"

const baseUrl = "https://rooms.example.org"
// Conditions name properties beside them, not inside; all other rules of strict mode hold.
const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false })
addFormats.default(ajv)

interface Subject {
  readonly name: string
  readonly schema: JsonSchema
  readonly check: (body: unknown) => Checked<unknown>
  readonly example: unknown
}

const subjects: Subject[] = [
  ...operations.map((operation) => ({
    name: operation.name,
    schema: inputSchema(operation, baseUrl),
    check: (body: unknown) => checkBody(operation, body),
    example: operation.example,
  })),
  ...actions.map(({ name, body, example }) => ({
    name,
    schema: jsonSchemaOf(body),
    check: (input: unknown) => check(body, input),
    example,
  })),
]

const RUNS = runs(1_000, 40)

/** Checks one body with both; returns how they differ, and which faults the issues miss. */
function difference(
  { schema, check: run }: Subject,
  takes: ValidateFunction,
  body: unknown,
): { taken: boolean; why?: string } {
  const checked = run(body)
  const taken = takes(body) && !holdsHalfCharacter(body)
  if (checked.ok !== taken) {
    return {
      taken,
      why:
        `the schema says ${taken ? "yes" : ajv.errorsText(takes.errors)}; ` +
        `the validator says ${checked.ok ? "yes" : JSON.stringify(checked.issues)}`,
    }
  }
  if (checked.ok) return { taken }
  const paths = checked.issues.map(({ path }) => path)
  const astray = paths.filter((path) => !isPlace(path, body))
  if (astray.length > 0) return { taken, why: `these paths lead nowhere: ${astray.join(" ")}` }
  const { missing, unknown } = faults(schema, body)
  const untold = [...missing, ...unknown].filter((path) => !paths.includes(path))
  return untold.length > 0 ? { taken, why: `these faults are not told: ${untold.join(" ")}` } : { taken }
}

for (const subject of subjects) {
  const { name, schema, example } = subject
  // shows: Its body takes exactly the fields, lengths, patterns and variants of the table, and rejects unknown
  //   properties at every depth.
  // shows: Schemas and examples of every operation are served and true.
  // shows: Wording, scope, roles, premises and references have the bounds of the table.
  // shows: Research operations and reads carry schemaVersion 3, the Library 1.
  t.test(
    `${name}: the validator and the exported schema agree on every body, and every fault is reported at its place`,
    (t) => {
      const takes = ajv.compile(schema)
      t.match(difference(subject, takes, example), { taken: true, why: undefined }, "both accept the example")

      let met: { why: string; body: string } | undefined
      for (const spoilt of everySpoiling(schema, example)) {
        const body = jsonText(spoilt)
        const { why } = difference(subject, takes, JSON.parse(body))
        if (why !== undefined) met ??= { why, body: body.slice(0, 3_000) }
      }
      t.equal(met, undefined, "of the example, spoilt in every place")

      const tally = { taken: 0, refused: 0 }
      const agree = fc.property(bodies(schema), (text) => {
        const { taken, why } = difference(subject, takes, JSON.parse(text))
        tally[taken ? "taken" : "refused"]++
        if (why !== undefined) throw new Error(why)
      })
      const isTelling = () => Math.min(tally.taken, tally.refused) > RUNS / 20
      // Few bodies of a large schema are taken, so more of them are made.
      let found = fc.check(agree, { numRuns: RUNS })
      for (let more = 0; more < 9 && !found.failed && !isTelling(); more += 1)
        found = fc.check(agree, { numRuns: RUNS, seed: found.seed + 1 })
      const { failed, seed, counterexamplePath: path, counterexample, errorInstance } = found
      t.notOk(failed, "of bodies made from the schema", {
        seed,
        path,
        body: counterexample?.[0].slice(0, 3_000),
        why: String(errorInstance).slice(0, 2_000),
      })
      t.ok(
        isTelling(),
        `both verdicts came often enough to mean something (${tally.taken} taken, ${tally.refused} refused)`,
      )
      t.end()
    },
  )
}

t.test("In every string of every body NUL and lone surrogates are refused", (t) => {
  for (const { name, check: run, example } of subjects) {
    const whole = JSON.stringify(example)
    const texts = [...whole.matchAll(/:("(?:[^"\\]|\\.)*")/g)]
    for (const { index, 1: text = "" } of texts) {
      for (const added of ["\\u0000", "\\ud800", "\\udc00\\ud800"]) {
        const body = JSON.parse(
          `${whole.slice(0, index + 1)}${text.slice(0, -1)}${added}"${whole.slice(index + 1 + text.length)}`,
        )
        if (run(body).ok) t.fail(`${name} takes ${added} after ${text}`)
      }
    }
  }
  t.end()
})

// shows: Lengths are characters as JSON Schema counts them.
t.test("Characters are counted as people and JSON Schema count them, not as UTF-16 does", (t) => {
  const title = (text: string) =>
    checkBody(operationNamed("create_thread") as Operation, {
      ...(operationNamed("create_thread")?.example as object),
      title: text,
    }).ok
  t.ok(title("𝔞".repeat(limits.title)), "as many astral characters as the limit says")
  t.notOk(title("𝔞".repeat(limits.title + 1)), "but not one more")
  t.notOk(title(" \n\u3000"), "white space alone is not a text")
  t.end()
})

// shows: Names such as constructor are names of concepts like any other.
t.test("A name that every JavaScript object has is a name like any other", (t) => {
  const operation = operationNamed("publish_hypothesis") as Operation
  const example = operation.example as { concepts: object }
  const taken = checkBody(operation, {
    ...example,
    concepts: { ...example.concepts, constructor: { label: "maker", definition: "What makes." } },
  })
  t.ok(
    taken.ok && Object.hasOwn(taken.value.concepts as object, "constructor"),
    "accepted, and stored, as a concept of one's own",
  )
  const refused = checkBody(
    operation,
    JSON.parse(`${JSON.stringify(example).slice(0, -1)},"constructor":1,"__proto__":{},"toString":[]}`),
  )
  t.match(
    refused,
    { ok: false, issues: [{ path: "/constructor" }, { path: "/__proto__" }, { path: "/toString" }] },
    "each is refused if nothing has that name",
  )
  t.end()
})

t.test("A time is a moment on a day that exists, stored in UTC", (t) => {
  const carried = (text: string) => {
    const checked = check(time, text)
    return checked.ok ? checked.value : undefined
  }
  t.equal(carried("2024-02-29T23:30:00+01:00"), "2024-02-29T22:30:00.000Z", "a leap day")
  t.equal(carried("2000-02-29T00:00:00Z"), "2000-02-29T00:00:00.000Z", "of a year divisible by 400")
  const refused = [
    "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "9999-12-31T23:59:59-01:00",
    "0000-01-01T00:00:00+01:00",
    "2026-11-20",
    "2026-11-20T09:30:00",
  ]
  t.strictSame(
    refused.filter((text) => carried(text) !== undefined),
    [],
    "and of no other",
  )
  t.end()
})
