/** Costs of attempts are added up and compared with the budgets of their plans. */
import t from "tap"
import type { WriteInput } from "research-room/client"
import { openLab, refusalOf } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const room = await lab.room()
const work = await Work.begin(lab, room)
const { experimentId } = work
type Cost = NonNullable<WriteInput<"report_attempt_event">["cost"]>

const planId = await work.plan({ budget: { gpuHours: 4, money: { amount: 10, currency: "EUR" } } })
const tell = async (attemptId: string, event: "progress" | "succeeded", cost: Cost, more: { late?: true } = {}) => {
  const { affordances } = await lab.reader.read("attempt", { attemptId })
  const at = { attemptId, event, ...affordances.expected, reportedAt: new Date().toISOString() } as const
  return room.ada.write("report_attempt_event", { ...at, cost, ...more })
}
const [first, second] = [await work.attempt("started", [], planId), await work.attempt("started", [], planId)]

t.test(
  "each report replaces the one before; an experiment, a plan and a Room add up the latest reports of attempts",
  async (t) => {
    await tell(first, "progress", { gpuHours: 1 })
    t.same((await tell(first, "progress", { gpuHours: 2.5, money: { amount: 7.5, currency: "EUR" } })).warnings, [])
    await tell(second, "progress", { gpuHours: 0.1, tokens: 1_000, wallSeconds: 60 })
    t.same((await lab.reader.read("attempt", { attemptId: first })).cost, {
      gpuHours: 2.5,
      money: { amount: 7.5, currency: "EUR" },
    })
    const { costs, acceptedPlans } = await lab.reader.read("experiment", { experimentId })
    t.same(costs, {
      attempts: 2,
      spent: { gpuHours: 2.6, tokens: 1_000, wallSeconds: 60, money: [{ currency: "EUR", amount: 7.5 }] },
      plans: 1,
      budget: { gpuHours: 4, tokens: null, wallSeconds: null, money: [{ currency: "EUR", amount: 10 }] },
    })
    t.same(acceptedPlans[0]?.budget, { gpuHours: 4, money: { amount: 10, currency: "EUR" } })
    t.same((await lab.reader.read("plan", { planId })).costs, costs)
    t.same((await lab.reader.read("room", { roomId: room.roomId })).costs, costs)
  },
)

t.test("going over budget gives a warning, and other currencies are not added", async (t) => {
  const { warnings } = await tell(second, "succeeded", { gpuHours: 2, money: { amount: 3, currency: "USD" } })
  t.match(warnings, [
    { code: "over_budget", message: /P1 are over its budget: 4\.5 of 4 GPU hours\.$/, plan: { planId, label: "P1" } },
  ])
  const late = await tell(second, "progress", { money: { amount: 3, currency: "EUR" } }, { late: true })
  t.match(late.warnings, [{ code: "over_budget", message: /10\.5 of 10 EUR\.$/ }])
  const { costs } = await lab.reader.read("experiment", { experimentId })
  t.same(costs.spent.money, [{ currency: "EUR", amount: 10.5 }])
})

t.test("an invalid cost is refused, with its path", async (t) => {
  const issues = async (cost: object) =>
    (await refusalOf(tell(first, "progress", cost as Cost))).issues?.map(({ path }) => path)
  t.same(await issues({ gpuHours: -1 }), ["/cost/gpuHours"])
  t.same(await issues({ tokens: 1.5 }), ["/cost/tokens"])
  t.same(await issues({ money: { amount: 1, currency: "euro" } }), ["/cost/money/currency"])
  t.same(await issues({ money: { amount: 1 } }), ["/cost/money/currency"])
  t.same(await issues({ cpuHours: 1 }), ["/cost/cpuHours"])
})

t.test("pages and Markdown show costs and budgets", async (t) => {
  const page = async (path: string) => (await fetch(`${lab.house.baseUrl}${path}`)).text()
  t.match(await page(`/plans/${planId}`), /2\.5 GPU hours, 10\.5 EUR \(2 attempts\)/)
  t.match(await page(`/experiments/${experimentId}`), /Over budget: 10\.5 of 10 EUR\./)
  t.match(await page(`/plans/${planId}.md`), /budget: 4 GPU hours, 10 EUR\. Over budget: 10\.5 of 10 EUR\./)
  t.match(await page(`/attempts/${first}`), /2\.5 GPU hours, 7\.5 EUR/)
})
