/** The graph of a Room: its legend, labels and bounded size, what is left out, and the neighbourhood of one finding. */
import t from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"

const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
t.teardown(() => demo.close())
const graph = `${demo.baseUrl}/rooms/${demo.rooms.main.roomId}/graph`
const page = async (address: string) => (await fetch(address)).text()
const box = (text: string) =>
  (/viewBox="([^"]+)" width="\d+" height="\d+" role="group"/.exec(text)?.[1] ?? "").split(" ").map(Number)

t.test("The whole story is drawn with labels, in columns, under a legend", async (t) => {
  const text = await page(`${graph}?view=net`)
  t.match(text, /<ul class="legend" aria-label="Legend">.*supports.*contradicts/s)
  t.match(text, />H2<\/text>(?:(?!<\/a>).)*>The same training lowers</s, "a node says what it is about")
  t.match(text, "35 attempts shown as marks on their experiments and findings")
  t.match(text, "plans, materials and withdrawn links are left out")
  t.notMatch(text, /older objects|only the newest/, "nothing else does")
  const [, , wide = 0, high = 0] = box(text)
  t.ok(wide <= 1_000 && high <= 1_800, `it is ${wide} by ${high} pixels: as wide as a page, at most two screens high`)
})

t.test("No view of it is a page of more than 200 kB", async (t) => {
  for (const query of ["", "?view=net", "?show=everything", "?show=everything&at=200"]) {
    const { length } = await page(graph + query)
    t.ok(length < 200_000, `${query || "the story"}: ${length} characters`)
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
  const names = (text: string) => [...text.matchAll(/<text class="name"[^>]*>([^<]+)</g)].map(([, name]) => name)
  const near = names(await page(`${graph}?focus=${versionId}`))
  for (const name of ["F1", "E1", "H1", "H2", "C1", "A1"]) t.ok(near.includes(name), `${name} is there`)
  t.notOk(near.includes("H5"), "unrelated records are not")
  t.ok(near.length < 20, `${near.length} objects: ${near.join(" ")}`)
  t.ok(names(await page(`${graph}?focus=${versionId}&depth=2`)).length > near.length)
})
