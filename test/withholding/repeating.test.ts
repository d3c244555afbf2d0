/** What is withheld is not published again by the reason given for it, nor by the next message of the same person. */
import tap from "tap"
import { repeatedIn } from "../../src/ledger/journal/withheld-words.ts"
import { ask } from "../support/ask.ts"
import { action, message } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"

const lab = await openLab(tap)
const { house } = lab
const SECRET = "sk-live-9fK2mVx7LpQ4"

tap.test("an explanation that repeats the secret is refused before anything is done, with the words", async (t) => {
  const { roomId, threadId } = await lab.place()
  const written = `My key is API_KEY=${SECRET}, use it. The quick brown fox jumps over the lazy dog by the river.`
  const { entry } = await lab.grace.write("post_message", { threadId, ...message(written) } as never)
  const withhold = (explanation: string) =>
    lab.at(
      "ada",
      "POST",
      `/api/rooms/${roomId}/withholdings`,
      action({ of: { entryId: entry?.entryId }, fields: ["/text"], reason: "secret", explanation }),
    )
  for (const [explanation, named] of [
    [`It held API_KEY=${SECRET}.`, SECRET],
    [`The key ${SECRET.toUpperCase()} was in it`, SECRET],
    ["It says that the quick brown fox jumps over the lazy dog.", "the quick brown fox"],
  ] as const) {
    const refused = await withhold(explanation)
    t.equal(refused.status, 422, explanation)
    t.match(JSON.stringify(refused.body.issues).toLowerCase(), named.toLowerCase())
    t.match(refused.body, { refusal: "invalid_schema", committed: false, issues: [{ path: "/explanation" }] })
  }
  const messages = async () => (await ask(`${house.baseUrl}/api/research/threads/${threadId}/messages`)).text
  t.match(await messages(), SECRET, "nothing was done")
  t.equal((await withhold("It held a key of a payment service, which is revoked.")).status, 200)
  t.notMatch(await messages(), SECRET)

  const post = (who: "ada" | "grace", text: string) =>
    lab.at(who, "POST", `/api/threads/${threadId}/messages`, message(text))
  const again = await post("ada", `I withheld ${SECRET} here.`)
  t.match(again, { status: 422, body: { refusal: "invalid_schema", issues: [{ path: "/text" }] } })
  t.match(JSON.stringify(again.body.issues), SECRET, "it says which words")
  t.equal((await post("ada", "I withheld a key here. The quick brown fox jumps over it.")).status, 200)
  t.equal((await post("grace", `Was it ${SECRET.slice(0, 8)}?`)).status, 200)
  const found = await ask(`${house.baseUrl}/api/research/search?query=${SECRET}`)
  t.strictSame(found.body.items, [], "a search finds it nowhere")
})

tap.test("words that are no secret may be repeated", (t) => {
  const withheld = ["The token is hf_kT9sQ2mV7xLp, from 2024. Please rotate it."]
  t.strictSame(repeatedIn("The token was rotated. Please read this.", withheld), [])
  t.strictSame(repeatedIn("A token from 2024.", withheld), [])
  t.strictSame(repeatedIn("Key: HF_kt9sq2mv7xlp", withheld), ["hf_kt9sq2mv7xlp"])
  const begun = performance.now()
  repeatedIn("ab ".repeat(700), ["ab1 ".repeat(15_000), "a".repeat(60_000)])
  t.ok(performance.now() - begun < 1_000, "long texts take little time")
  t.end()
})
