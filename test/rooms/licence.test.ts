/** The licence of a Room: chosen by its owner, and shown wherever the Room is read, cited or exported. */
import { createRequire } from "node:module"
import tap, { test } from "tap"
import { licences } from "../../src/contract/nouns/rooms.ts"
import { ask } from "../support/ask.ts"
import { action } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { unpack } from "../research/added/unpacked.ts"

// Its parts ship without types.
const load = createRequire(import.meta.url)
const { Cite } = load("@citation-js/core") as {
  Cite: new (data: unknown) => { readonly data: readonly { readonly note?: string }[] }
}
for (const part of ["bibtex", "csl", "cff"]) load(`@citation-js/plugin-${part}`)

const lab = await openLab(tap)
const { house } = lab
const read = async (path: string) => (await ask(`${house.baseUrl}/api/research/${path}`)).body
const page = async (path: string) => {
  const response = await fetch(house.baseUrl + path)
  return { text: await response.text(), link: response.headers.get("link") ?? "" }
}
const open = (await lab.ada.write("create_room", { title: "Open to all", license: "CC-BY-4.0" })).result.roomId
const { roomId: silent } = await lab.place("Nothing said")

test("a Room gets a licence when it is made, or has none and says so", async (t) => {
  t.match(await read(`rooms/${open}`), { license: "CC-BY-4.0" })
  t.match(await read(`rooms/${open}/research-context`), { room: { license: "CC-BY-4.0" } })
  t.match(await read(`rooms/${silent}`), { license: null })
  t.match(
    (await page(`/rooms/${open}`)).text,
    /<a rel="license" href="https:\/\/spdx\.org\/licenses\/CC-BY-4\.0\.html">CC-BY-4\.0<\/a>/,
  )
  t.match((await page(`/rooms/${silent}`)).text, "No licence set.")
})

test("only its owner changes it; the change is an entry of the Room's activity", async (t) => {
  const { roomId } = await lab.place("Changing")
  const amend = (by: "ada" | "mary", license: string) =>
    lab.at(by, "PATCH", `/api/rooms/${roomId}`, action({ license }))
  t.match(await amend("mary", "MIT"), { status: 403 })
  t.match((await amend("ada", "MIT")).body.result, { title: "Changing", license: "MIT" })
  t.match((await amend("ada", "CC0-1.0")).body.result, { license: "CC0-1.0" })
  t.equal((await read(`rooms/${roomId}`)).license, "CC0-1.0")
  const feed = (await read(`rooms/${roomId}/activity?include=summary&kinds=room_amended`)).items as unknown as {
    summary: string
  }[]
  t.strictSame(
    feed.map(({ summary }) => summary),
    ["ada put the Room under the licence MIT.", "ada put the Room under the licence CC0-1.0."],
  )
})

test("only ids of the SPDX list are licences", async (t) => {
  t.ok(licences.length > 700 && new Set(licences).size === licences.length)
  for (const license of ["cc-by-4.0", "CC-BY-4.0 OR MIT", "LicenseRef-mine", "<b>", "", 7, null, "constructor"]) {
    const refused = await lab.at("ada", "POST", "/api/rooms", action({ title: "Never", license }))
    t.match(
      refused,
      { status: 422, body: { refusal: "invalid_schema", issues: [{ path: "/license" }] } },
      String(license),
    )
    t.ok(JSON.stringify(refused.body).length < 1_000, "the refusal does not list them all")
  }
  // A deprecated id of the list is still a licence.
  t.equal((await lab.at("ada", "POST", "/api/rooms", action({ title: "Old", license: "GPL-2.0" }))).status, 200)
})

test("it can be chosen in a form, which lists the usual ones first", async (t) => {
  const { username, password } = house.people.owner
  const { headers } = await ask(`${house.baseUrl}/api/session`, {
    body: { username, password },
    headers: { origin: house.baseUrl },
  })
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const text = await (await fetch(`${house.baseUrl}/do/create_room`, { headers: { cookie } })).text()
  t.match(text, /<input[^>]*name="\/license"[^>]*list=/)
  t.match(text, /<option value="CC-BY-4\.0">\s*<option value="CC0-1\.0">/)
})

test("a citation contains it in each format", async (t) => {
  const cited = async (roomId: string, format: string) =>
    (await fetch(`${house.baseUrl}/api/research/rooms/${roomId}/citation?format=${format}`)).text()
  t.match(await read(`rooms/${open}/citation`), { license: "CC-BY-4.0" })
  t.match(await cited(open, "cff"), /^license: "CC-BY-4\.0"$/m)
  t.notMatch(await cited(silent, "cff"), /license/)
  for (const format of ["bibtex", "csl"]) {
    const text = await cited(open, format)
    const [item] = new Cite(format === "csl" ? JSON.parse(text) : text).data
    t.equal(item?.note, "Room, through entry 1; licence CC-BY-4.0", format)
  }
})

test("programs find it in the page: as linked data, and in the header", async (t) => {
  const { text, link } = await page(`/rooms/${open}`)
  const [, data = "{}"] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
  t.equal((JSON.parse(data) as { license?: string }).license, "https://spdx.org/licenses/CC-BY-4.0")
  t.match(link, '<https://spdx.org/licenses/CC-BY-4.0.html>; rel="license"')
  t.notMatch((await page(`/rooms/${silent}`)).link, /rel="license"/)
})

test("its crate contains it", async (t) => {
  const crate = unpack(await (await fetch(`${house.baseUrl}/api/research/rooms/${open}/export`)).bytes())
  t.strictSame(crate.faults(), [])
  const licence = { "@id": "https://spdx.org/licenses/CC-BY-4.0" }
  t.strictSame(crate.entity("./")?.license, licence)
  t.match(crate.entity(licence["@id"]), { "@type": "CreativeWork", name: "CC-BY-4.0", url: `${licence["@id"]}.html` })
  t.match(
    crate.files.get("ro-crate-preview.html"),
    /Licence: <a href="https:\/\/spdx\.org\/licenses\/CC-BY-4\.0\.html">CC-BY-4\.0<\/a>/,
  )
  t.match(crate.files.get("README.md"), /chose the licence CC-BY-4\.0/)
})
