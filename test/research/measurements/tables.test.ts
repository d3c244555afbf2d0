/** A table of values in a report: every interface says what it was read as, and refuses what it cannot read. */
import t from "tap"
import { openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const room = await lab.room()
const work = await Work.begin(lab, room, { question: "Does the shift lower the error?" })
const attemptId = await work.attempt("started")
const csv = "arm,Seed,Step,error,seconds\nbaseline,1,5.0,0.061,10\nshift,1,5,NA,11\nshift,2,5,0.055,12\n"
const report = async (more: object, rehearse = false) => {
  const { affordances } = await lab.reader.read("attempt", { attemptId })
  const body = { attemptId, event: "progress", reportedAt: new Date().toISOString(), ...affordances.expected, ...more }
  return room.ada.write("report_attempt_event", body as never, rehearse ? { rehearse } : {})
}
const readAs = {
  metrics: [
    { column: "error", values: 2, missing: 1 },
    { column: "seconds", values: 3, missing: 0 },
  ],
  dimensions: ["Seed", "arm"],
  step: "Step",
  ignored: [],
}

t.test("a mixed column is refused with its line, and nothing is kept", async (t) => {
  const refused = await report({ table: { csv } }).catch((error: unknown) => error)
  t.match(refused, {
    status: 422,
    refusal: "invalid_schema",
    issues: [{ path: "/table/csv", message: /^line 3 has "NA" in the column error, which is not a number/ }],
  })
  t.strictSame((await lab.reader.read("attempt", { attemptId })).metrics, [])
})

t.test("a rehearsal and the receipt say what was read, and a retry says it again", async (t) => {
  const table = { csv, missing: ["NA"] }
  const rehearsed = await report({ table }, true)
  t.match(rehearsed, { rehearsed: true, readAs })
  t.strictSame((await lab.reader.read("attempt", { attemptId })).metrics, [])
  const requestId = crypto.randomUUID()
  const { affordances } = await lab.reader.read("attempt", { attemptId })
  const body = { attemptId, event: "progress", reportedAt: new Date().toISOString(), ...affordances.expected }
  const first = await room.ada.write("report_attempt_event", { ...body, requestId, table } as never)
  t.strictSame((first as { readAs?: unknown }).readAs, readAs)
  const again = await room.ada.write("report_attempt_event", { ...body, requestId, table } as never)
  t.match(again, { replayed: true, readAs })
  const { metrics } = await lab.reader.read("attempt", { attemptId })
  t.equal(metrics.length, 5)
  t.match(
    metrics.find(({ name, dimensions }) => name === "error" && dimensions?.arm === "baseline"),
    {
      value: 0.061,
      step: 5,
      dimensions: { arm: "baseline", seed: 1 },
    },
  )
})

t.test("a table beside metrics, or of a wrong form, is refused by name", async (t) => {
  const metrics = [{ name: "error", value: 1 }]
  t.equal(await refusedAs(report({ table: { csv }, metrics })), "422 invalid_schema /table")
  t.equal(await refusedAs(report({ table: { csv: " " } })), "422 invalid_schema /table/csv")
  t.equal(await refusedAs(report({ table: { csv, others: 1 } })), "422 invalid_schema /table/others")
  const many = `error\n${"1\n".repeat(1_001)}`
  t.equal(await refusedAs(report({ table: { csv: many } })), "422 invalid_schema /table/csv")
})

t.test("a batch reads tables too, and a small receipt keeps what was read", async (t) => {
  const { affordances } = await lab.reader.read("attempt", { attemptId })
  const body = {
    schemaVersion: 3,
    requestId: crypto.randomUUID(),
    attemptId,
    event: "progress",
    reportedAt: new Date().toISOString(),
    ...affordances.expected,
    table: { csv: "Wall time,Step,Value\n1700000000.1,10,0.5\n", metric: "val/loss" },
  }
  const { token } = await lab.credential("ada", room.roomId, { permissions: ["manage_own_experiments"] })
  const send = async (writes: object[]) => {
    const answer = await fetch(`${lab.house.baseUrl}/api/agent/research/batch?receipt=small`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ writes }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const wrong = { ...body, table: { csv: "Wall time,Step,Value\n1,10,0.5\n" } }
  t.match(await send([{ operation: "report_attempt_event", body: wrong }]), {
    status: 422,
    body: { issues: [{ path: "/writes/0/body/table/csv", message: /^line 1 has values of one metric without/ }] },
  })
  t.match(await send([{ operation: "report_attempt_event", body }]), {
    status: 200,
    body: {
      receipts: [{ readAs: { metrics: [{ column: "val/loss", values: 1 }], step: "Step", ignored: ["Wall time"] } }],
    },
  })
})
