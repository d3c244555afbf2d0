/** A form that is sent after its session has ended: without a script, the page that says so has what was written. */
import t from "tap"
import { startResearchRoom } from "research-room/testing"

const house = await startResearchRoom()
t.teardown(() => house.close())
const { openingThreadId: threadId } = house.rooms.empty
const text = 'Дрейф базовой линии — 3 < 5 & "два".\n\nA second paragraph, </textarea><script>x</script>.'

const from = `/threads/${threadId}?after=3`
const send = (cookie: string | null, origin = house.baseUrl) =>
  fetch(`${house.baseUrl}/web/post_message`, {
    method: "POST",
    redirect: "manual",
    headers: {
      origin,
      referer: `${house.baseUrl}${from}`,
      ...(cookie !== null && { cookie: `research_room_session=${cookie}` }),
    },
    body: new URLSearchParams({ threadId, "/clientMessageId": crypto.randomUUID(), "/text": text }),
  })

t.test("the text is on the page, escaped, and nothing else is", async (t) => {
  const answer = await send("x".repeat(43))
  t.equal(answer.status, 401)
  const page = await answer.text()
  t.match(page, `href="/sign-in?next=${encodeURIComponent(from)}">Sign in</a> and come back`)
  t.match(page, /Sign in first\./)
  t.match(page, /What you wrote/)
  t.match(page, /<textarea id="written-0" readonly[^>]*>\nДрейф базовой линии — 3 &lt; 5 &amp; &quot;два&quot;\./)
  t.match(page, "A second paragraph, &lt;/textarea&gt;&lt;script&gt;x&lt;/script&gt;.")
  t.notMatch(page.replaceAll(/href="\/sign-in[^"]*"/g, ""), threadId)
})

t.test("a visitor who never signed in, and another site, get nothing back", async (t) => {
  for (const answer of [await send(null), await send("x".repeat(43), "https://other.example")]) {
    t.ok(answer.status >= 300, `${answer.status}`)
    t.notMatch(await answer.text(), /What you wrote|Дрейф/)
  }
})
