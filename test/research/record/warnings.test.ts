/**
 * The warnings in a finding's receipt and record: attempts without outcome or output, and outputs that differ from the
 * evidence.
 */
import t, { type Test } from "tap"
import { because, finding, sha256 } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { openLab } from "../../support/lab.ts"
import { type Ending, losses, Work } from "./work.ts"

const lab = await openLab(t)
const room = await lab.room()
const work = await Work.begin(lab, room)

type More = NonNullable<Parameters<typeof finding>[1]>
type Evidence = NonNullable<More["evidence"]>

/** Publishes a finding, and checks the warnings of its receipt and record. */
async function warned(
  t: Test,
  more: More,
  expected: readonly object[],
  message?: string,
): Promise<{ versionId: string }> {
  const { result, warnings } = await room.ada.write("publish_finding", finding(room, more))
  // Warnings that another finding reports the same attempts are tested elsewhere.
  const own = warnings.filter(({ code }) => code !== "same_effect")
  holds(t, own, expected, message)
  t.strictSame((await lab.record(result)).warnings, warnings, "the record has the warnings of the receipt")
  return result
}

const named = (attemptIds: readonly string[], baselines: readonly string[] = []) => ({
  execution: work.execution(attemptIds, baselines),
  papers: [],
})
const output = (attemptId: string, more: Partial<typeof losses> = {}): Evidence[number] => ({
  kind: "attempt_output",
  attemptId,
  ...losses,
  explanation: because,
  ...more,
})
const outcome = (attemptId: string): Evidence[number] => ({ kind: "attempt_outcome", attemptId, explanation: because })

// shows: A started attempt without an outcome reads as unknown.
// shows: skill: attempt_unknown
t.test("an attempt without an outcome, until it has one", async (t) => {
  for (const ending of ["registered", "started"] as const) {
    const attemptId = await work.attempt(ending)
    const expected = {
      code: "attempt_without_outcome",
      attemptId,
      message: new RegExp(`^A\\d+ is ${ending}: its outcome is not known\\.$`),
    }
    const record = await warned(t, { provenance: named([attemptId]) }, [expected], `${ending}, producing`)
    await warned(t, { provenance: named([await work.attempt()], [attemptId]) }, [expected], `${ending}, baseline`)
    if (ending === "registered") await work.tell(attemptId, "started")
    await work.tell(attemptId, "succeeded", { outputs: [losses] })
    t.strictSame((await lab.record(record)).warnings, [], "a late outcome settles it")
  }
})

// shows: The publication response warns of attempts that produced nothing and of outputs that do not match.
t.test("an attempt that produced nothing, unless its outcome is cited", async (t) => {
  for (const ending of ["succeeded", "failed", "cancelled", "preflight_failed"] as const) {
    const attemptId = await work.attempt(ending, [])
    const nothing = {
      code: "attempt_produced_nothing",
      attemptId,
      message: /^A\d+ reported no output and no metric\.$/,
    }
    await warned(t, { provenance: named([attemptId]) }, [nothing], `${ending}, producing`)
    await warned(t, { provenance: named([await work.attempt()], [attemptId]) }, [nothing], `${ending}, baseline`)
    await warned(
      t,
      { provenance: named([attemptId]), evidence: [outcome(attemptId)] },
      [],
      `${ending}, its outcome cited`,
    )
    await warned(t, { evidence: [outcome(attemptId)] }, [], `${ending}, in evidence only`)
  }
})

t.test("an outcome that is cited before it exists", async (t) => {
  const attemptId = await work.attempt("started")
  const unknown = { code: "outcome_unknown", attemptId, evidence: 0 }
  await warned(t, { evidence: [outcome(attemptId)] }, [unknown])
  const record = await warned(t, { evidence: [outcome(attemptId)], provenance: named([attemptId]) }, [
    { code: "attempt_without_outcome", attemptId },
    unknown,
  ])
  await work.tell(attemptId, "failed")
  t.strictSame((await lab.record(record)).warnings, [], "its failure is now known, and cited")
})

// shows: The publication response warns of attempts that produced nothing and of outputs that do not match.
t.test("an output whose digest is unknown, different, or as reported", async (t) => {
  const attemptId = await work.attempt("started")
  const unknown = { code: "output_unknown", attemptId, evidence: 0, outputLabel: losses.outputLabel }
  const record = await warned(t, { evidence: [output(attemptId)] }, [unknown], "not reported yet")
  const other = await warned(t, { evidence: [output(attemptId, { digest: sha256("b") })] }, [unknown])
  await work.tell(attemptId, "succeeded", { outputs: [losses] })
  t.strictSame((await lab.record(record)).warnings, [], "reported later, and as cited")
  const differs = {
    code: "output_differs",
    attemptId,
    evidence: 0,
    outputLabel: losses.outputLabel,
    reportedDigest: losses.digest,
  }
  holds(t, (await lab.record(other)).warnings, [differs], "reported later, and with another digest")
  await warned(
    t,
    { evidence: [output(attemptId, { outputLabel: "model.bin" })] },
    [{ ...unknown, outputLabel: "model.bin" }],
    "no output of that name",
  )
  const evidence = [
    output(attemptId),
    output(attemptId, { digest: sha256("c") }),
    output(attemptId, { outputLabel: "model.bin" }),
  ]
  await warned(
    t,
    { evidence },
    [
      { ...differs, evidence: 1 },
      { code: "output_unknown", evidence: 2 },
    ],
    "each entry by its place",
  )
})

t.test("all warnings at once, in the order of attempts and then of evidence", async (t) => {
  const endings: readonly Ending[] = ["succeeded", "failed", "started"]
  const attemptIds = await Promise.all(endings.map((ending) => work.attempt(ending, [])))
  const [idle = "", failed = "", running = ""] = attemptIds
  const found = await room.ada.write(
    "publish_finding",
    finding(room, { provenance: named([idle], [running, failed]), evidence: [output(idle), outcome(running)] }),
  )
  const codes = (found.warnings as { code: string; attemptId: string }[]).map(
    ({ code, attemptId }) => `${code} ${attemptId}`,
  )
  t.strictSame(codes.slice(0, 1), [`attempt_produced_nothing ${idle}`], "the attempts that produced it come first")
  t.strictSame(
    codes.slice(1, 3).sort(),
    [`attempt_produced_nothing ${failed}`, `attempt_without_outcome ${running}`],
    "then its baselines",
  )
  t.strictSame(codes.slice(3), [`output_unknown ${idle}`, `outcome_unknown ${running}`])
})

// shows: The publication response warns of attempts that produced nothing and of outputs that do not match.
t.test("a warning never refuses a write, and is kept in the stored receipt", async (t) => {
  const attemptId = await work.attempt("registered")
  const body = { ...finding(room, { provenance: named([attemptId]) }), requestId: crypto.randomUUID() }
  const rehearsed = await room.ada.write("publish_finding", body, { rehearse: true })
  const receipt = await room.ada.write("publish_finding", body)
  t.equal(receipt.warnings.length, 1)
  t.strictSame(rehearsed.warnings, receipt.warnings, "a rehearsal gives the same warnings")
  await work.tell(attemptId, "cancelled")
  const replayed = await room.ada.write("publish_finding", body)
  holds(
    t,
    replayed,
    { replayed: true, warnings: receipt.warnings, result: receipt.result },
    "a replay is what was said then",
  )
})
