/** Repeats of a baseline: a plan asks for them, and `next` offers them where arms are compared with one run each. */
import { RefusedError } from "research-room/client"
import t from "tap"
import { openLab } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

t.test("repeats of the baseline", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("Baseline")
  const { ada, roomId } = room
  const work = await Work.begin(lab, room)
  const { experimentId } = work
  const expected = async () => (await ada.read("experiment", { experimentId })).affordances.expected as never
  const { url, commit } = lab.house.repositories.public
  const arms = ["none", "ramp"].map((name) => ({ name, argv: ["train.py", "--warmup", name] }))
  const accept = async (baselineRepeats?: { arm: string; runs: number }) =>
    ada.write("accept_plan", {
      ...{ experimentId, ...(await (expected() as Promise<object>)), repository: { url, commit } },
      ...{ hypotheses: [], premises: [], intent: "exploratory" as const, requiredMaterials: [] },
      protocol: { summary: "Both arms.", steps: [], arms, ...(baselineRepeats && { baselineRepeats }) },
    } as never)
  const run = async (planId: string, argv: string[], value: number, rerunOf?: string) => {
    const attemptId = crypto.randomUUID()
    await ada.write("register_attempt", {
      ...{ attemptId, experimentId, ...(await (expected() as Promise<object>)), repository: { url, commit }, argv },
      ...{ configuration: {}, inputs: [], planId, ...(rerunOf === undefined ? {} : { rerunOf }) },
      intent: rerunOf === undefined ? "planned" : "rerun",
    } as never)
    await work.tell(attemptId, "started")
    await work.tell(attemptId, "succeeded", { metrics: [{ name: "loss", value }] })
    return attemptId
  }
  const offered = async () => {
    const { items } = await lab.reader.read("room_next", { roomId })
    return items.flatMap(({ what, why, body }) => (what === "repeat_baseline" ? [{ why, body }] : []))
  }

  const refused = await accept({ arm: "nine", runs: 3 }).catch((error: unknown) => error)
  t.match(refused instanceof RefusedError && refused.issues, [{ path: "/protocol/baselineRepeats/arm" }])

  const { planId } = (await accept()).result as { planId: string }
  const [none, ramp] = arms.map(({ argv }) => argv)
  const first = await run(planId, none ?? [], 0.5)
  t.strictSame(await offered(), [], "one arm alone compares nothing")
  await run(planId, ramp ?? [], 0.4)
  t.match(await offered(), [
    { why: /compares 2 arms with one run each\. Another run of none/, body: { rerunOf: first } },
  ])
  await run(planId, none ?? [], 0.52, first)
  t.strictSame(await offered(), [], "one repeat tells the noise")
  const second = (await accept({ arm: "none", runs: 3 })).result as { planId: string }
  t.match(await offered(), [{ why: "Its plan asks for 3 runs of none before anything else; 2 succeeded." }])
  await run(second.planId, none ?? [], 0.49)
  t.strictSame(await offered(), [], "until it has them")
  const page = await (await fetch(`${lab.house.baseUrl}/plans/${second.planId}`)).text()
  t.match(page, /Before anything else: 3 runs of none\./)
  const plan = await (await fetch(`${lab.house.baseUrl}/plans/${second.planId}.md`)).text()
  t.match(plan, /Before anything else: 3 runs of none/)
})
