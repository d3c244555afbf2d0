/**
 * Sheets: each names places that its operation's form has, and each operation's example can be filled into the form
 * shown to people.
 */
import t from "tap"
import { operationOf } from "../../src/contract/operations/index.ts"
import type { OperationName } from "../../src/contract/operations/index.ts"
import { partsOf, commandOf, bodyOf, type Draft, fill, withoutBlankRows } from "../../src/web/forms/draft.ts"
import { type Field, formOf } from "../../src/web/forms/fields.ts"
import { sheets } from "../../src/web/forms/sheets/index.ts"
import { keyOf, spelledOut, valueMeant } from "../../src/web/forms/statement.ts"

const none = { concepts: [], roles: [], repositories: [] }

/** Every place of a form, named as in sheets. */
function placesIn(field: Field, at: string): string[] {
  switch (field.form) {
    case "object":
      return [at, ...field.fields.flatMap((inner) => placesIn(inner, `${at}/${inner.name}`))]
    case "list":
    case "named":
      return [at, ...placesIn(field.item, `${at}/*`)]
    case "variant":
      return [
        at,
        `${at}/${field.tag}`,
        ...field.cases.flatMap(({ fields }) => fields.flatMap((inner) => placesIn(inner, `${at}/${inner.name}`))),
      ]
    default:
      return [at]
  }
}

for (const [name, sheet] of Object.entries(sheets)) {
  t.test(`the sheet of ${name} names what its form has`, async (t) => {
    const places = new Set(placesIn(formOf(operationOf(name as OperationName)), ""))
    const named = [
      ...sheet.first,
      ...(sheet.kept ?? []),
      ...(sheet.folds ?? []).flatMap(({ places }) => places),
      ...Object.keys(sheet.prompts),
    ]
    t.same(
      named.filter((place) => !places.has(place)),
      [],
    )
    for (const [place, prompt] of Object.entries(sheet.prompts)) {
      if (prompt === undefined) continue
      t.ok((prompt.tall ?? 1) <= 6, `${place} leaves the rest of its form on the screen`)
      const isNamed = (text: string) => /\b[a-z]+[A-Z]\w*|\w_\w|\bargv\b|\bUUID\b/.test(text.replace(/arXiv/g, ""))
      t.notOk(
        isNamed(`${prompt.label} ${prompt.hint ?? ""} ${prompt.missing ?? ""}`),
        `${place} is prompted for in plain words`,
      )
    }
  })
}

for (const name of ["publish_hypothesis", "publish_finding", "publish_cited_claim"] as const)
  t.test(`values that a program fills into the form of ${name} are sent unchanged`, async (t) => {
    const operation = operationOf(name)
    const form = formOf(operation)
    const draft: Draft = new URLSearchParams()
    fill(draft, form, "", operation.example)
    const {
      schemaVersion: _version,
      requestId: _delivery,
      client: _client,
      ...example
    } = operation.example as Record<string, unknown>
    t.same(bodyOf(form, spelledOut(withoutBlankRows(form, draft), none)).body, example)
  })

t.test("empty rows are removed, at any place; as many rows as a list requires stay", async (t) => {
  const form = formOf(operationOf("publish_finding"))
  const draft: Draft = new URLSearchParams({
    "#/evidence": "3",
    "/evidence/0/kind": "",
    "/evidence/1|material/explanation": "It shows.",
    "/evidence/1/kind": "material",
    "/evidence/2|paper/quote": " ",
    "#/assertion/roles": "2",
    "#/references": "1",
  })
  t.same(Object.fromEntries(withoutBlankRows(form, draft)), {
    "#/evidence": "1",
    "/evidence/0|material/explanation": "It shows.",
    "/evidence/0/kind": "material",
    "#/assertion/roles": "2",
    "#/references": "0",
  })
})

t.test("a sentence, its words and roles become an assertion with keys, a predicate and typed values", async (t) => {
  const draft: Draft = new URLSearchParams({
    "/assertion/wording": "A linear warm-up lowers the loss by 0.07 nat.",
    "#/concepts": "3",
    "/concepts/0/label": "Lowers",
    "/concepts/0/definition": "Makes it smaller.",
    "/concepts/1/label": "linear warm-up",
    "/concepts/1/definition": "A ramp from zero.",
    "/concepts/2/label": "",
    "#/assertion/roles": "4",
    "/assertion/roles/0/role": "cause",
    "/assertion/roles/0/definition": "What is changed.",
    "/assertion/roles/0/value": "Linear warm-up",
    "/assertion/roles/1/role": "Size of the effect",
    "/assertion/roles/1/definition": "How much.",
    "/assertion/roles/1/value": "0.07 nat",
    "/assertion/roles/2/role": "Ähnlichkeit",
    "/assertion/roles/2/definition": "To what.",
    "/assertion/roles/2/value": "50M parameters of any kind",
    "/scope": "Small models.",
  })
  const form = formOf(operationOf("publish_hypothesis"))
  const { body, issues } = bodyOf(form, spelledOut(withoutBlankRows(form, draft), none))
  t.same(issues, [])
  t.same(body.concepts, {
    lowers: { label: "Lowers", definition: "Makes it smaller." },
    linear_warm_up: { label: "linear warm-up", definition: "A ramp from zero." },
  })
  t.same(body.assertion, {
    wording: "A linear warm-up lowers the loss by 0.07 nat.",
    predicate: { type: "concept", key: "lowers" },
    roles: [
      { role: "cause", definition: "What is changed.", value: { type: "concept", key: "linear_warm_up" } },
      { role: "size_of_the_effect", definition: "How much.", value: { type: "decimal", value: "0.07", unit: "nat" } },
      { role: "ahnlichkeit", definition: "To what.", value: { type: "text", value: "50M parameters of any kind" } },
    ],
  })
})

t.test("keys are made from words of any script, each once", async (t) => {
  t.equal(keyOf("Learning rate (peak)", "word_1", new Set()), "learning_rate_peak")
  t.equal(keyOf("学习率", "word_1", new Set()), "word_1")
  t.equal(keyOf("400 steps", "word_1", new Set()), "steps")
  t.equal(keyOf("lowers", "word_2", new Set(["lowers"])), "lowers_2")
  t.match(keyOf("x".repeat(300), "word_1", new Set()), /^x{60}$/)
})

t.test("a value in a role gets the type it looks like, and a GPU is not taken for a hypothesis", async (t) => {
  const own = new Map([["warm-up", "warm_up"]])
  t.same(valueMeant("Warm-up", own, none), { type: "concept", key: "warm_up" })
  t.same(valueMeant("-1.5 dB", own, none), { type: "decimal", value: "-1.5", unit: "dB" })
  t.same(valueMeant("400", own, none), { type: "text", value: "400" })
  t.same(valueMeant("H100", own, none), { type: "text", value: "H100" })
  t.equal(valueMeant("H1: A linear warm-up", own, none).type, "record")
  t.same(valueMeant("true", own, none), { type: "boolean", value: "true" })
})

t.test("a command is split as a shell would, and joined so that it splits the same again", async (t) => {
  t.same(partsOf(`python train.py --name "two words" --x='a b' c\\ d`), [
    "python",
    "train.py",
    "--name",
    "two words",
    "--x=a b",
    "c d",
  ])
  t.same(partsOf("python\ntrain.py\n--name\ntwo words"), ["python", "train.py", "--name", "two words"])
  t.same(partsOf(`it's`), ["it's"])
  for (const parts of [["python", "-c", "print('a \"b\"')"], ["a b"], ["x", ""]])
    t.same(partsOf(commandOf(parts)), parts)
})
