/** The next step that the pages of records and experiments offer. */
import t from "tap"
import { ask } from "../support/ask.ts"
import { hypothesis } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { passwordOf, startOwn } from "../support/service.ts"
import { Work } from "../research/record/work.ts"

const NEXT = "nobody has tested it."

t.test("a superseded or retracted hypothesis offers no experiment, and the one in its place does", async (t) => {
  const own = await startOwn()
  t.teardown(() => own.close())
  const ada = await own.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "What comes next" })).result
  const publish = async (wording: string) => {
    const { assertion, ...body } = hypothesis({ roomId, threadId })
    const written = await ada.write("publish_hypothesis", { ...body, assertion: { ...assertion, wording } })
    return written.result.versionId
  }
  const [first, second] = [await publish("It rises."), await publish("It rises with the rate.")]
  const session = await ask(`${own.baseUrl}/api/session`, {
    body: { username: "ada", password: passwordOf("ada") },
    headers: { origin: own.baseUrl },
  })
  const cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const offered = async (versionId: string) =>
    (await (await fetch(`${own.baseUrl}/records/${versionId}`, { headers: { cookie } })).text()).includes(NEXT)
  t.ok(await offered(first))
  const explanation = "The second says when."
  await ada.write("assert_supersession", {
    targetVersionId: first,
    replacementVersionId: second,
    explanation,
  } as never)
  t.notOk(await offered(first), "superseded")
  t.ok(await offered(second))
  await ada.write("assert_retraction", { targetVersionId: second, explanation } as never)
  t.notOk(await offered(second), "retracted")
})

t.test("an experiment offers its holder the plan first, then a run of it, then the end of that run", async (t) => {
  const lab = await openLab(t)
  const { baseUrl, people } = lab.house
  const { username, password } = people.owner
  const session = await ask(`${baseUrl}/api/session`, { body: { username, password }, headers: { origin: baseUrl } })
  const cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const work = await Work.begin(lab, await lab.room())
  const offered = async () => {
    const page = await fetch(`${baseUrl}/experiments/${work.experimentId}`, { headers: { cookie } })
    return /<a class="button" href="[^"]*\/do\/[^"]*" title="[^"]*">([^<]*)<\/a>/.exec(await page.text())?.[1]
  }
  t.equal(await offered(), "Pin the plan")
  const planId = await work.plan()
  t.equal(await offered(), "Register an attempt")
  await work.attempt("started", [], planId)
  t.equal(await offered(), "Report what happened to A1")
})
