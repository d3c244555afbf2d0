/** What lists on pages hold when they are too long, and when they are empty: requested over HTTP, without a browser. */
import { pattern } from "../support/pattern.ts"
import t from "tap"
import { operationOf } from "../../src/contract/operations/index.ts"
import { hypothesis } from "../support/bodies.ts"
import { passwordOf, startOwn } from "../support/service.ts"

const own = await startOwn()
t.teardown(() => own.close())
const ada = await own.setUp()
const { roomId, openingThreadId: threadId } = (
  await ada.write("create_room", { title: "Lists", question: "How long may a list be?" })
).result
/** The session cookie of a person. */
async function cookieOf(username: string): Promise<string> {
  const session = await fetch(`${own.baseUrl}/api/session`, {
    method: "POST",
    headers: { origin: own.baseUrl, "content-type": "application/json" },
    body: JSON.stringify({ username, password: passwordOf(username) }),
  })
  return session.headers.getSetCookie()[0]?.split(";")[0] ?? ""
}
const cookie = await cookieOf("ada")
const page = async (path: string, as = cookie) => (await fetch(own.baseUrl + path, { headers: { cookie: as } })).text()

const EXPERIMENTS = 60
for (let n = 1; n <= EXPERIMENTS; n += 1)
  await ada.write("propose_experiment", {
    roomId,
    threadId,
    question: `Is run ${n} lower?`,
    scope: "One model.",
    hypotheses: [],
  } as never)

t.test("a form lists the newest 50 of a kind; an older one is named by its label", async (t) => {
  const { versionId: finding } = (await ada.write("publish_hypothesis", hypothesis({ roomId, threadId }) as never))
    .result
  const form = await page(`/do/link_experiment_finding?findingVersionId=${finding}`)
  const listed = [...form.matchAll(/<option value="(E\d+): Is run/g)].map(([, label]) => label)
  t.same(
    listed,
    Array.from({ length: 50 }, (_, index) => `E${60 - index}`),
  )
  const send = (experimentId: string) =>
    fetch(`${own.baseUrl}/web/link_experiment_finding`, {
      method: "POST",
      headers: { origin: own.baseUrl, cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        "/experimentId": experimentId,
        "/findingVersionId": finding,
        "/requestId": crypto.randomUUID(),
      }),
    })
  const sent = await send("E3")
  const refused = await sent.text()
  t.equal(sent.status, 422, "the verdict is still missing")
  t.match(refused, /Say whether it answers the question/)
  t.notMatch(refused, /is not an experiment of this Room/, "and E3 is recognised")
  const unknown = await (await send("run lower")).text()
  const [, similar = ""] = /“run lower” is not an experiment of this Room\. Similar: ([^<]*)/.exec(unknown) ?? []
  t.equal(
    similar.match(/E\d+ Is run \d+ lower\?/g)?.length,
    5,
    "a name that is none is answered with five that are like it",
  )
})

t.test(
  "an untested hypothesis says once, in one sentence, that nothing has been tried; an experiment changes the sentence",
  async (t) => {
    const { versionId } = (await ada.write("publish_hypothesis", hypothesis({ roomId, threadId }) as never)).result
    const headings = async () =>
      [...(await page(`/records/${versionId}`)).matchAll(/<h2 id="[a-z]+">([^<]+)/g)].map(([, text]) => text)
    t.match(
      await page(`/records/${versionId}`),
      pattern(
        /Nothing has been tried yet: no experiment addresses it, nothing is said for or against it, /,
        /and nothing rests on it\./,
      ),
    )
    for (const empty of [
      "For and against it",
      "What failed",
      "What is disputed or withdrawn, and why",
      "What would fall with it",
      "Who uses it",
    ])
      t.notOk((await headings()).includes(empty), `no empty part “${empty}”`)
    await ada.write("propose_experiment", {
      roomId,
      threadId,
      question: "Is it so?",
      scope: "One model.",
      hypotheses: [versionId],
    } as never)
    t.match(
      await page(`/records/${versionId}`),
      /Nothing has been tried yet: 1 experiment addresses it, with no attempt so far/,
    )
    await ada.write("assert_dispute", { targetVersionId: versionId, explanation: "It was said before." } as never)
    t.ok(
      (await headings()).includes("What is disputed or withdrawn, and why"),
      "everything there is to say is shown in full",
    )
  },
)

t.test("a word that no Room has is said to be in none", async (t) => {
  t.match(await page("/?query=nowhere"), /No Room's title or question contains “nowhere”\./)
  t.match(await page("/?query=How+long"), /How long may a list be\?/)
})

t.test("a paper that more than 50 records quote has a next page", async (t) => {
  const { requestId: _known, ...claim } = operationOf("publish_cited_claim").example as {
    requestId: string
    paper: { arxivId: string }
  }
  for (let n = 0; n < 53; n += 1)
    await ada.write("publish_cited_claim", { ...claim, roomId, threadId, references: [] } as never)
  const records = (text: string) => text.match(/<a class="wording"/g)?.length
  const first = await page(`/papers/${claim.paper.arxivId}`)
  t.equal(records(first), 50)
  const next = /href="([^"]*)" rel="next">Older records/.exec(first)?.[1] ?? ""
  const second = await page(next.replaceAll("&amp;", "&"))
  t.equal(records(second), 3)
  t.notMatch(second, /Older records/)
})

t.test("a credential's row shows its last write", async (t) => {
  const { token } = (
    await ada.write("issue_credential", { roomId, label: "sweep agent", permissions: ["post_thread"] })
  ).result
  const row = async () => /sweep agent.*?<\/tr>/s.exec(await page(`/rooms/${roomId}/people`))?.[0] ?? ""
  t.match(await row(), /data-is="wrote last"><span class="quiet">nothing/)
  const posted = await fetch(`${own.baseUrl}/api/agent/threads/${threadId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ schemaVersion: 3, clientMessageId: crypto.randomUUID(), text: "By an agent." }),
  })
  t.equal(posted.status, 200)
  t.match(await row(), /data-is="wrote last">[^]*message[^]*<time/)
})

t.test("a member leaves a Collection, or is removed from it, only after a confirmation", async (t) => {
  const grace = await own.person("grace")
  const { collectionId } = (await ada.write("create_collection", { name: "Ramps" })).result
  const { invitationId } = (await ada.write("invite_to_collection", { collectionId, username: "grace" })).result
  await grace.write("accept_collection_invitation", { invitationId })
  t.match(
    await page(`/library/collections/${collectionId}`),
    pattern(
      /<details class="asked danger"><summary>Remove<span class="aside"> grace<\/span><\/summary>.*/s,
      /Remove grace<\/button>/s,
    ),
  )
  const hers = await page(`/library/collections/${collectionId}`, await cookieOf("grace"))
  t.match(hers, /<summary>Leave this Collection<\/summary>.*Leave Collection<\/button>/s)
})
