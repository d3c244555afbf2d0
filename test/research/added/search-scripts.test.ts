/** What was written is found by its words, in every script, however it is typed. */
import t from "tap"
import { folded } from "../../../src/contract/folding.ts"
import { indexed, phrasesIn, wordsIn } from "../../../src/contract/words.ts"
import { hypothesis } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { makeKnown, paperId, openLibrary, toldOf } from "../../library/library.ts"
import { sentences } from "./scripts.ts"

const forms = ["NFC", "NFD"] as const
const words = new Intl.Segmenter("und", { granularity: "word" })
/** The words of a text, and each two neighbours with what stands between them. */
function partsOf(text: string): string[] {
  const found = [...words.segment(text)].filter(({ isWordLike }) => isWordLike)
  const pairs = found.slice(1).map(({ index, segment }, at) => text.slice(found[at]?.index, index + segment.length))
  return [...found.map(({ segment }) => segment), ...pairs]
}

const lab = await openLab(t)
const room = await lab.room()
const idOf = ({ entry }: { readonly entry: { readonly entryId: string } | null }) => entry?.entryId ?? ""
const find = async (query: string, more: object = {}) => (await lab.reader.read("search", { query, ...more })).items

t.test("every word of a message finds it, and so do two neighbours, in both normal forms", async (t) => {
  t.ok(Object.keys(sentences).length >= 30)
  const ids: string[] = []
  for (const [at, text] of Object.values(sentences).entries()) {
    const written = text.normalize(forms[at % 2])
    ids.push(idOf(await room.ada.write("post_message", { threadId: room.threadId, text: written })))
  }
  const missed: string[] = []
  for (const [at, [script, text]] of Object.entries(sentences).entries())
    await Promise.all(
      partsOf(text).flatMap((part) =>
        forms.map(async (form) => {
          const found = await find(part.normalize(form), { roomId: room.roomId, limit: 50 })
          const hit = found.find(({ id }) => id === ids[at])
          if (hit === undefined) missed.push(`${script} ${form}: ${part}`)
          else if (!hit.snippet.includes("<mark>")) missed.push(`${script} ${form}: ${part} is not marked`)
        }),
      ),
    )
  t.strictSame(missed, [])
})

t.test("people find without the marks that they leave out, and marks that make another letter count", async (t) => {
  const elsewhere = await lab.room("Another Room")
  const say = async (text: string) =>
    idOf(await elsewhere.ada.write("post_message", { threadId: elsewhere.threadId, text }))
  const finds = async (query: string) =>
    (await find(query, { roomId: elsewhere.roomId, kinds: "message" })).map(({ id }) => id)
  for (const [written, ...typed] of [
    ["Étude", "etude", "ÉTUDE", "e\u0301tude"],
    ["Straße", "strasse", "STRASSE"],
    ["ἄνθρωπος", "ανθρωπος", "ΑΝΘΡΩΠΟΣ"],
    ["ёлка", "елка", "ЁЛКА"],
    ["за\u0301мок", "замок"],
    ["שָׁלוֹם", "שלום"],
    ["مُحَمَّد", "محمد", "محـمد"],
    ["می‌خواهم", "میخواهم"],
    ["ｶﾞｲﾄﾞ", "ガイド"],
    ["ＡＢＣ１２３", "abc123"],
    ["ﬁnding", "finding"],
    ["7㎏", "7kg"],
  ] as const) {
    const id = await say(`${written}.`)
    for (const query of [written, ...typed]) t.strictSame(await finds(query), [id], query)
  }
  for (const [written, other] of [
    ["май", "маи"],
    ["їжак", "іжак"],
    ["がっき", "かっき"],
    ["ぱん", "はん"],
    ["बिल", "बल"],
    ["أمل", "امل"],
  ] as const) {
    const id = await say(`${written} `)
    t.strictSame(await finds(written), [id], written)
    t.strictSame(await finds(other), [], `${other} is not ${written}`)
  }
})

t.test("a word without spaces is found inside a run of signs, and marked there as it was written", async (t) => {
  const text = "我们的量子计算机，ﾃﾞｰﾀ ベースと接続。"
  const id = idOf(await room.ada.write("post_message", { threadId: room.threadId, text }))
  for (const [query, marked] of [
    ["计算", "<mark>计算</mark>"],
    ["量子计算机", "<mark>量子</mark><mark>计算</mark><mark>机</mark>"],
    ['"子计算"', "<mark>子计算</mark>"],
    ["データ", "<mark>ﾃﾞｰﾀ</mark>"],
    ["機", undefined],
  ] as const) {
    const hit = (await find(query, { roomId: room.roomId })).find((item) => item.id === id)
    if (marked === undefined) t.equal(hit, undefined, query)
    else t.ok(hit?.snippet.includes(marked), `${query}: ${hit?.snippet}`)
  }
})

t.test("titles, concepts, Rooms and similar records are found by the same folding", async (t) => {
  const wording = "Ηλεκτρόνια κινούνται ταχύτερα στο κενό."
  const concepts = { lowers: { label: "Größe der Ёлка", definition: "データの量" } }
  const { versionId } = (await room.ada.write("publish_hypothesis", hypothesis(room, { concepts }, wording))).result
  for (const query of ["ΗΛΕΚΤΡΟΝΙΑ", "ηλεκτρονια", "κενο"])
    t.equal((await find(query, { kinds: "hypothesis" }))[0]?.id, versionId, query)
  for (const query of ["GRÖSSE", "große".normalize("NFD").replace("ß", "ss"), "елка", "ﾃﾞｰﾀ", "タの"])
    t.equal((await lab.reader.read("concepts", { query })).items[0]?.versionId, versionId, query)
  const { roomId } = (await lab.ada.write("create_room", { title: "Über die Ёлка", question: "한국어?" })).result
  for (const query of ["uber", "ÜBER DIE", "елка", "한국".normalize("NFD"), "국어"])
    t.strictSame(
      (await lab.reader.read("rooms", { query })).items.map((each) => each.roomId),
      [roomId],
      query,
    )
  const text = "ταχυτερα κινουνται τα ηλεκτρονια"
  t.equal((await lab.reader.read("room_similar", { roomId: room.roomId, text })).similar[0]?.id, versionId)
})

t.test("a misspelled word is corrected in folded letters", async (t) => {
  await room.ada.write("post_message", { threadId: room.threadId, text: "Калибровка дрейфует, ἄνθρωπος λέγει." })
  for (const [typed, meant] of [
    ["калибрвока", "калибровка"],
    ["дрейфут", "дрейфует"],
    ["ΑΝΘΡΩΠΣ", "ανθρωποσ"],
  ] as const)
    t.match(await lab.reader.read("search", { query: typed }), { items: [], didYouMean: meant }, typed)
})

t.test("saved papers are found so too", async (t) => {
  const lab = await openLibrary(t)
  const texts = Object.values(sentences)
  const ids = texts.map((_, at) => paperId(70_000 + at))
  await makeKnown(
    lab,
    texts.map((text, at) => toldOf(ids[at] ?? "", text)),
    "import",
  )
  await lab.ada.write("save_papers", { arxivIds: ids })
  const missed: string[] = []
  for (const [at, [script, text]] of Object.entries(sentences).entries())
    await Promise.all(
      partsOf(text).flatMap((part) =>
        forms.map(async (form) => {
          const { items } = await lab.ada.read("library_papers", { query: part.normalize(form) })
          if (!items.some(({ paperId }) => paperId === ids[at])) missed.push(`${script} ${form}: ${part}`)
        }),
      ),
    )
  t.strictSame(missed, [])
})

t.test("folding what is folded changes nothing, and no text takes long", (t) => {
  const marks = "\u0301\u0323"
  const hostile = ["a", "", "学", "\ufdfa", "漢", "한", "é ", "½", "ก็", "ﾞ", "㎏", "a\u200d"].map((part) =>
    (part + (part.length < 2 && part !== "漢" ? marks : "")).repeat(20_000),
  )
  for (const text of [...Object.values(sentences), ...hostile.map((each) => each.slice(0, 500))]) {
    t.equal(folded(folded(text)), folded(text), text.slice(0, 20))
    t.equal(folded(text.normalize("NFD")), folded(text.normalize("NFC")), text.slice(0, 20))
  }
  for (const text of hostile) {
    const begun = process.cpuUsage()
    t.ok(indexed(text).length < 25 * text.length)
    t.ok(wordsIn(text).toArray().length <= 2 * text.length)
    t.ok(phrasesIn(text.slice(0, 200), false).length <= 200)
    const { user, system } = process.cpuUsage(begun)
    t.ok((user + system) / 1000 < 500, `${text.slice(0, 4)}: ${(user + system) / 1000} ms`)
  }
  t.end()
})
