/** A search forgives one typing error per word: it searches for the intended word, and says so. */
import fc from "fast-check"
import t, { test } from "tap"
import { Browser } from "research-room/testing"
import { nearWords } from "../../../src/ledger/lists/substrings.ts"
import { passwordOf } from "../../support/service.ts"
import { makeKnown, paperId, openLibrary, toldOf } from "../../library/library.ts"

test("two words are near if one error apart, and otherwise not", (t) => {
  const near = (word: string) => new Set(nearWords(word))
  for (const typed of ["clibration", "calibratoin", "calibratiom", "calibrationn", "xcalibration", "calibratio"])
    t.ok(near(typed).has("calibration"), typed)
  for (const typed of ["clibratoin", "calibration"]) t.notOk(near(typed).has("calibration"), typed)
  t.ok(near("разогев").has("разогрев"), "in other scripts too")
  t.strictSame(nearWords("lr"), [], "short words are near to everything")
  t.strictSame(nearWords("a".repeat(64)), [], "digests are not words of a language")
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]{4,24}$/), (word) => {
      const all = nearWords(word)
      if (all.length > 74 * word.length + 40 || new Set(all).size !== all.length || all.includes(word))
        throw new Error(word)
      for (const each of all) if (Math.abs(each.length - word.length) > 1) throw new Error(`${word} ${each}`)
    }),
  )
  t.end()
})

const lab = await openLibrary(t)
const { ada, grace } = lab
const { result: room } = await ada.write("create_room", {
  title: "Ramps",
  question: "Does gradual warm-up lower the early loss?",
})
const say = (text: string) => ada.write("post_message", { threadId: room.openingThreadId, text })
await say("The calibration of the baseline drifts.")
await say("Nothing about vibration here, but for vibrations of the table.")
const search = (query: string, more: object = {}) => ada.read("search", { query, ...more })

test("a word that occurs nowhere is replaced by the intended one, if that finds something", async (t) => {
  t.match(await search("calibration"), { items: [{ kind: "message" }], didYouMean: null })
  for (const [typed, meant] of [
    ["clibration", "calibration"],
    ["Clibration drifts", "calibration drifts"],
    ["baselien calibration", "baseline calibration"],
    ["vibratoins", "vibrations"],
    ["gradaul warm-up", "gradual warm-up"],
  ] as const) {
    const found = await search(typed)
    t.match(found, { items: [], didYouMean: meant }, typed)
    t.ok((await search(meant)).items.length > 0)
  }
  for (const typed of ["xylophone", "calibration vibration", "clibratoin", "lr", "?!", "zz zz zz zz"])
    t.match(await search(typed), { items: [], didYouMean: null }, typed)
  t.match(
    await search("clibration", { kinds: "finding" }),
    { items: [], didYouMean: null },
    "a correction that finds nothing is not offered",
  )
  t.match(await search("calibra"), { items: [{ kind: "message" }], didYouMean: null }, "a prefix is not an error")
})

test("saved papers are found in the same way, by the words of the reader's own papers only", async (t) => {
  const [mine, theirs] = [paperId(60_001), paperId(60_002)]
  await makeKnown(lab, [toldOf(mine, "Gradual quokkas"), toldOf(theirs, "Marginal wombats")], "import")
  await ada.write("save_papers", { arxivIds: [mine] })
  await grace.write("save_papers", { arxivIds: [theirs] })
  t.match(await ada.read("library_papers", { query: "quokas" }), { items: [], didYouMean: "quokkas" })
  t.match(await ada.read("library_papers", { query: "gradaul quokkas" }), { didYouMean: "gradual quokkas" })
  t.match(
    await ada.read("library_papers", { query: "wombts" }),
    { items: [], didYouMean: null },
    "papers that grace saved do not correct ada's words",
  )
  t.match(await grace.read("library_papers", { query: "wombts" }), { didYouMean: "wombats" })
})

test("the page of a search shows the intended words, and the reader's own papers beside the record", async (t) => {
  const browser = await Browser.signIn({ baseUrl: lab.baseUrl }, { username: "ada", password: passwordOf("ada") })
  const page = async (query: string) =>
    await (await browser.request("GET", `/search?query=${encodeURIComponent(query)}`)).text()
  t.match(
    await page("clibration"),
    /No results for “clibration”\. Showing results for “<a[^>]*>calibration<\/a>”\.[^]*<mark>calibration<\/mark>/,
  )
  t.match(
    await page("quokas"),
    /In your Library[^]*No results for “quokas”\. Showing results for “<a[^>]*>quokkas<\/a>”\.[^]*Gradual quokkas/,
  )
  t.match(await page("gradual"), /In the record[^]*In your Library[^]*Gradual quokkas/)
  t.match(await page("xylophone"), /No results for “xylophone”/)
  const stranger = await (await fetch(`${lab.baseUrl}/search?query=quokkas`)).text()
  t.notMatch(stranger, /In your Library|Gradual/, "nobody else sees them")
})
