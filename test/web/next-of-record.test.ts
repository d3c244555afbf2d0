/** The next step that the page of a record offers: none once the record is superseded or retracted. */
import t from "tap"
import { ask } from "../support/ask.ts"
import { hypothesis } from "../support/bodies.ts"
import { passwordOf, startOwn } from "../support/service.ts"

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
