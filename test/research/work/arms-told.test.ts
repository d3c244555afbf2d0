/** One run of several arms is told with the arms that it covers, lacks and adds. */
import t from "tap"
import { openLab } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const room = await lab.room()

/** Pins a plan with these arms. @returns what tells an attempt's page and document, given the arms that it runs */
async function toldOf(names: readonly string[]): Promise<(named: string) => Promise<string[]>> {
  const work = await Work.begin(lab, room)
  const arms = names.map((name) => ({ name, argv: ["python", "train.py", "--arm", name] }))
  const planId = await work.plan({ protocol: { summary: "Run it.", steps: [], arms } })
  return async (named) => {
    const argv = ["python", "train.py", "--arms", named]
    const attemptId = await work.attempt("succeeded", [], planId, { argv })
    const at = (end: string) => fetch(`${lab.house.baseUrl}/attempts/${attemptId}${end}`)
    return Promise.all(["", ".md"].map(async (end) => (await at(end)).text()))
  }
}

t.test("the page and the document of an attempt name the arms of its plan", async (t) => {
  const told = await toldOf(["baseline", "shift", "cutout"])
  for (const text of await told("baseline,shift,cutout")) {
    t.match(text, "covers arms baseline, shift, cutout")
    t.notMatch(text, /lacks|differs from its plan/)
  }
  for (const text of await told("baseline,shift,mixup")) {
    t.match(text, "covers arms baseline, shift; lacks cutout; adds mixup")
    t.notMatch(text, "matches arm")
  }
})

t.test("a sentence names eight arms and counts the others", async (t) => {
  const names = Array.from({ length: 10 }, (_, place) => `arm${place + 1}`)
  const told = await toldOf(names)
  const eight = `covers arms ${names.slice(0, 8).join(", ")}`
  for (const text of await told(names.slice(0, 8).join())) t.match(text, `${eight}; lacks arm9, arm10`)
  for (const text of await told(names.join())) t.match(text, `${eight} and 2 more`)
})
