/** `research-room inbox`, as a script uses it, and text of strangers on a terminal. */
import tap, { test } from "tap"
import { message } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { endAll, executable, newPlace, run, start } from "../support/program.ts"

const program = executable()
const place = newPlace()
const lab = await openLab(tap)
tap.teardown(async () => {
  endAll()
  place.remove()
})
const { roomId, threadId } = await lab.place("Told on a terminal")
const { token } = await lab.credential("ada", roomId, { label: "mcp" })
const env = { RESEARCH_ROOM_URL: lab.baseUrl, RESEARCH_ROOM_TOKEN: token }
const post = (text: string) => lab.grace.write("post_message", { threadId, ...message(text) } as never)

test("it prints entries that concern the agent, continues from an entry, and follows", async (t) => {
  await post("Welcome.")
  await post("The weather is fine.")
  await post("@ada/mcp, look \u001b]0;stolen\u0007 here.\nAnd here.")
  const once = await run(program, ["inbox"], { ...place, env })
  t.match(once, { code: 0, err: "" })
  const [first, opening, line, end] = once.out.split("\n")
  t.match(first, /^1 ada created the Room: Told on a terminal\. It opens your Room\.$/)
  t.match(opening, /^[0-9]+ grace wrote: Welcome\. It opens your Room\.$/)
  t.match(line, /^[0-9]+ grace wrote: @ada\/mcp, look .* here\. And here\. It names @ada\/mcp\.$/)
  t.equal(end, "")
  t.notMatch(once.out, "\u001b", "no characters that a terminal would interpret")
  const { out } = await run(program, ["inbox", "--json"], { ...place, env })
  const { sequence, concerns } = JSON.parse(out.trim().split("\n").at(-1) ?? "") as {
    sequence: number
    concerns: unknown
  }
  t.match(concerns, [{ because: "named" }])
  t.match(await run(program, ["inbox", "--after", String(sequence)], { ...place, env }), { code: 0, out: "" })
  const following = start(program, ["inbox", "--follow", "--after", String(sequence)], { ...place, env })
  await post("Not this.")
  await post("But this, @ada.")
  t.match((await following.printed(/.*\n/))[0], "But this, @ada.")
  following.signal("SIGTERM")
  await following.ended()
})

test("a wrong call gets one sentence", async (t) => {
  t.match(await run(program, ["inbox", "--after", "soon"], { ...place, env }), { code: 2, err: /number of an entry/ })
  t.match(await run(program, ["inbox"], place), {
    code: 2,
    err: "research-room: Name the service with --url, or RESEARCH_ROOM_URL.\n",
  })
  const late = await run(program, ["inbox", "--after", "100000"], { ...place, env })
  t.match(late, { code: 1, out: "", err: /The feed ends at [0-9]+\.\n$/ })
})
