/** Forms made from schemas: every operation's example, filled into its form and sent, gives exactly the same body. */
import t from "tap"
import { checkBody } from "../../src/contract/definitions/operation.ts"
import { operationOf, operations } from "../../src/contract/operations/index.ts"
import { bodyOf, fill, issueField, withItem } from "../../src/web/forms/draft.ts"
import { formOf } from "../../src/web/forms/fields.ts"
import { sheetOf } from "../../src/web/forms/sheets/index.ts"

for (const operation of operations) {
  t.test(`the form of ${operation.name} sends what its example says`, async (t) => {
    const form = formOf(operation)
    const draft = new URLSearchParams()
    fill(draft, form, "", operation.example)
    const {
      schemaVersion: _version,
      [operation.delivery]: _delivery,
      client: _client,
      ...example
    } = operation.example as Record<string, unknown>
    const { body, issues } = bodyOf(form, draft)
    t.same(issues, [])
    t.same(body, example)
    t.ok(
      checkBody(operation, {
        schemaVersion: operation.schemaVersion,
        [operation.delivery]: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e",
        ...body,
      }).ok,
    )
  })

  t.test(`each issue of an empty ${operation.name} is shown at its field`, async (t) => {
    const form = formOf(operation)
    const draft = new URLSearchParams()
    const checked = checkBody(operation, {
      schemaVersion: operation.schemaVersion,
      [operation.delivery]: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e",
      ...bodyOf(form, draft).body,
    })
    for (const { path } of checked.ok ? [] : checked.issues)
      t.ok(path === "" || form.fields.some(({ name }) => issueField(path, form, draft).startsWith(`/${name}`)), path)
  })
}

t.test("removing an item removes its own fields and no others", async (t) => {
  const draft = new URLSearchParams({
    "#/roles": "3",
    "/roles/0/role": "a",
    "/roles/1/role": "b",
    "/roles/2/role": "c",
    "#/roles/2/x": "1",
    "/scope": "all",
  })
  const without = withItem(draft, { add: null, remove: "/roles/1" })
  t.same(Object.fromEntries(without), {
    "#/roles": "2",
    "/roles/0/role": "a",
    "/roles/1/role": "c",
    "#/roles/1/x": "1",
    "/scope": "all",
  })
  t.equal(withItem(without, { add: "/roles", remove: null }).get("#/roles"), "3")
})

t.test("dimensions are written one per line, and keep their type: number, word or text", async (t) => {
  const form = formOf(operationOf("report_attempt_event"))
  const dimensions = { arm: "shift", seed: 3, rate: 0.1, warm: true, version: "1.10", code: "007" }
  const draft = new URLSearchParams()
  fill(draft, form, "", { metrics: [{ name: "error", value: 0.5, dimensions }] })
  t.equal(draft.get("/metrics/0/dimensions"), 'arm: shift\nseed: 3\nrate: 0.1\nwarm: true\nversion: "1.10"\ncode: 007')
  t.match(bodyOf(form, draft), { issues: [], body: { metrics: [{ name: "error", value: 0.5, dimensions }] } })
})

t.test("a folded list of attempts counts each, however they are written", async (t) => {
  const told = (...values: string[]) =>
    sheetOf("publish_finding")
      ?.folds?.map(({ summary }) =>
        summary?.(new URLSearchParams(values.map((value) => ["/provenance/execution/baselineAttemptIds", value]))),
      )
      .filter(Boolean)
  t.strictSame(told("A1, A2"), ["compared with 2 attempts"])
  t.strictSame(told("A1: rerun attempt of E1, succeeded", "A2"), ["compared with 2 attempts"])
  t.strictSame(told("", "A3"), ["compared with 1 attempt"])
})
