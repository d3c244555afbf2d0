/** One run of several arms is told with the arms that it covers, lacks and adds. */
import t from "tap"
import { openLab } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const room = await lab.room()

t.test("the page and the document of an attempt name the arms of its plan", async (t) => {
  const work = await Work.begin(lab, room)
  const arms = ["baseline", "shift", "cutout"].map((name) => ({ name, argv: ["python", "train.py", "--arm", name] }))
  const planId = await work.plan({ protocol: { summary: "Run it.", steps: [], arms } })
  const told = async (named: string) => {
    const argv = ["python", "train.py", "--arms", named]
    const attemptId = await work.attempt("succeeded", [], planId, { argv })
    const at = (end: string) => fetch(`${lab.house.baseUrl}/attempts/${attemptId}${end}`)
    return Promise.all(["", ".md"].map(async (end) => (await at(end)).text()))
  }
  for (const text of await told("baseline,shift,cutout")) {
    t.match(text, "covers arms baseline, shift, cutout")
    t.notMatch(text, /lacks|differs from its plan/)
  }
  for (const text of await told("baseline,shift,mixup")) {
    t.match(text, "covers arms baseline, shift; lacks cutout; adds mixup")
    t.notMatch(text, "matches arm")
  }
})
