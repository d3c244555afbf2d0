/** The table of a Room with thousands of attempts is worked out once for each state of the Room. */
import t from "tap"
import { runs } from "../../support/chance.ts"
import { Filler } from "../record/filler.ts"
import { openLab } from "../../support/lab.ts"

const ATTEMPTS = runs(9_999, 2_000)

const lab = await openLab(t)
const filler = new Filler(lab.file)
t.teardown(() => filler.close())
const owner = filler.person("ada")
const commit = "a".repeat(40)
const reportedAt = "2026-11-20T09:30:00.000Z"
const { roomId, report } = await filler.fill(() => {
  const { roomId, openingThreadId } = filler.does(owner, "create_room", { title: "Large", question: "How?" }).result
  const experiments = Array.from({ length: 20 }, () => {
    const place = { roomId, threadId: openingThreadId }
    const { experimentId } = filler.does(owner, "propose_experiment", {
      ...place,
      question: "Which?",
      scope: "Here.",
      hypotheses: [],
    }).result
    filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    return experimentId
  })
  const report = (index: number) => {
    const attemptId = filler.instance.world.id()
    const arm = ["baseline", "shift", "mixup", "smoothing"][index % 4] as string
    filler.does(owner, "register_attempt", {
      ...{ attemptId, experimentId: experiments[index % 20] as string, intent: "exploratory" },
      ...{ expectedRevision: 2, expectedStatus: "claimed", inputs: [] },
      repository: { url: "https://github.com/example/mlp", commit },
      argv: ["python", "mlp.py", "--updates", index % 3 === 0 ? "1000" : "5000", "--out", `runs/${index}.json`],
      configuration: { rate: 0.1, layers: [64, 64], seed: index },
    })
    const at = { attemptId, reportedAt }
    const started = { event: "started", expectedRevision: 1, expectedStatus: "registered" } as const
    filler.does(owner, "report_attempt_event", { ...at, ...started })
    filler.does(owner, "report_attempt_event", {
      ...at,
      ...{ event: "succeeded", expectedRevision: 2, expectedStatus: "started" },
      metrics: [0, 1].map((seed) => ({
        name: "error",
        value: (index * 7919) % 101,
        dimensions: { arm, labels: 50 * (1 + (index % 5)), seed: seed + 2 * (index % 50) },
      })),
    })
  }
  for (let index = 0; index < ATTEMPTS; index += 1) report(index)
  return { roomId, report }
})

function asked(by = ["arm", "labels"]) {
  const query = { metric: "error", by, over: "seed", against: "arm:baseline" }
  return filler.instance.readers.room_measurements({ params: { roomId }, query, actor: null } as never) as {
    groups: { n: number; settings: object; contrast: { pairs: number } | null }[]
  }
}

t.test("thousands of attempts make a table once for each state", async (t) => {
  const first = asked()
  t.equal(first.groups.length, 40)
  t.equal(asked(), first, "the same table, which was not worked out again")
  asked(["arm"])
  t.equal(asked(), first, "also after another question")
  await filler.fill(() => report(1))
  const later = asked()
  t.not(later, first, "it is worked out anew once something was reported")
  t.equal(asked(), later)
})
