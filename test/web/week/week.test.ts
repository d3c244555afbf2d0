/**
 * A week of a Room's life in a real browser, a day at a time by the service's own clock: an owner, an engineer with her
 * agent, and two readers, one of them without a script. Every page they meet has a way on, uses plain words, and has no
 * axe violation.
 */
import t from "tap"
import * as engineer from "./engineer.ts"
import * as owner from "./owner.ts"
import * as reader from "./reader.ts"
import { nextDay, person } from "./week.ts"

t.setTimeout(600_000)
const [mary, noor] = [await person(), await person(false)]
const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"
const WARM = "A warm-up lowers the loss by 0.13 nats."

t.test(
  "Monday: the owner sets a Room up and predicts, the engineer joins with a link, a visitor looks in",
  async (t) => {
    await owner.setsUp(t)
    await owner.predicts(t)
    await owner.invites(t)
    await engineer.joins(t)
    for (const stranger of [mary, noor]) await reader.arrivesEarly(t, stranger)
  },
)

t.test(
  "Tuesday: the engineer's agent proposes an experiment, runs it and reports; she adds a run of her own",
  async (t) => {
    nextDay()
    await engineer.works(t)
    await engineer.pastesMetrics(t)
  },
)

t.test(
  "Wednesday: she publishes a finding with its verdict, its effect and a picture; the owner reviews it and concludes",
  async (t) => {
    nextDay()
    await engineer.publishes(t)
    await owner.reviews(t)
    await owner.concludes(t, WARM)
  },
)

t.test("Thursday: readers follow the finding to its runs, take a citation along, and get accounts", async (t) => {
  nextDay()
  for (const [someone, name] of [
    [mary, "mary"],
    [noor, "noor"],
  ] as const) {
    await reader.followsFinding(t, someone)
    await reader.signsUp(t, someone, await owner.invitesReader(t), name)
  }
})

t.test(
  "Friday: the agent posts a token, and the owner withholds it; the engineer disputes the hypothesis",
  async (t) => {
    nextDay()
    t.equal(await engineer.agentWrites(`The token is ${SECRET}.`), 200)
    await owner.withholds(t, SECRET)
    await engineer.disputes(t)
  },
)

t.test("Saturday: the owner answers the dispute; the engineer retracts her finding", async (t) => {
  nextDay()
  await owner.answersDispute(t)
  await engineer.retracts(t)
})

t.test(
  "Sunday: readers see what changed since they were here; the owner renews the conclusion and exports the Room",
  async (t) => {
    nextDay()
    for (const someone of [mary, noor]) await reader.comesBack(t, someone)
    await owner.renews(t)
    await owner.takesItAway(t)
  },
)
