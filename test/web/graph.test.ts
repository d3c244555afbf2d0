/** The graph of a Room: its argument, a table of all its relations, and the relations around one finding. */
import t from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"

const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
t.teardown(() => demo.close())
const graph = `${demo.baseUrl}/rooms/${demo.rooms.main.roomId}/graph`
const page = async (address: string) => (await fetch(address)).text()
/** The row of an object in the table: its cells as text. */
const rowOf = (text: string, label: string) =>
  [...text.matchAll(/<tr><td><a class="label"[^>]*>([^<]+)<.*?<\/tr>/gs)]
    .filter(([, name]) => name === label)
    .map(([row]) => row.replace(/<[^>]+>/g, " ").replace(/\s+/g, " "))

t.test("The argument leads to a table of what each object states about others", async (t) => {
  const [, address = ""] = /<a href="([^"]+)">\d+ relations as a table/.exec(await page(graph)) ?? []
  const text = await page(demo.baseUrl + address)
  t.match(rowOf(text, "F6"), [/contradicts.* H4/], "what a link of a finding says is said of the finding")
  t.match(rowOf(text, "F6"), [/results from.* A\d/])
  t.match(text, /[1-9]\d* older objects left out/, "the table has the newest, and says so")
})

t.test("No view of it is a page of more than 200 kB", async (t) => {
  for (const query of ["", "?view=relations", "?at=200"]) {
    const { length } = await page(graph + query)
    t.ok(length < 200_000, `${query || "the argument"}: ${length} characters`)
  }
})

t.test("Around F1 are what F1 says, what it rests on, and what refers to it", async (t) => {
  const context = await (
    await fetch(`${demo.baseUrl}/api/research/rooms/${demo.rooms.main.roomId}/research-context`)
  ).json()
  const { versionId } =
    (context as { publications: { label: string; versionId: string }[] }).publications.find(
      ({ label }) => label === "F1",
    ) ?? {}
  const near = await page(`${graph}?focus=${versionId}`)
  t.match(near, /<h1>Graph around F1<\/h1>/)
  for (const name of ["E1", "H1", "H2", "A1"]) t.match(near, `>${name}</a>`, `${name} is there`)
  t.notMatch(near, />H5<\/a>/, "unrelated records are not")
  t.match(near, /supports (?:(?!<br>).)*>H1<\/a>/, "two writes say that F1 supports H1")
  t.notMatch(near, /supports (?:(?!<br>).)*>H1<\/a>(?:(?!<br>).)*>H1<\/a>/, "which is told once")
  const further = await page(`${graph}?focus=${versionId}&depth=2`)
  t.ok(further.split("<tr>").length > near.split("<tr>").length, "two steps reach further")
})
