/** The list of digests beside what is given away, and what is deleted of that which Windows leaves behind. */
import { hash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "tap"
import { deleteLeftovers, fileName, prefix } from "../../build/leftovers.ts"
import { platforms, releaseName } from "../../build/platforms.ts"
import { writeSums } from "../../build/sums.ts"

test("SHA256SUMS lists what is given away and is there, and nothing else, as sha256sum reads it", async (t) => {
  const folder = t.testdir({ "research-room": "for this machine", "other.txt": "other" })
  const names = platforms.map(releaseName)
  t.ok(names.includes("research-room-win-x64.exe"))
  t.ok(names.includes("research-room-linux-arm64"))
  const there = names.slice(1).toSorted()
  for (const name of there) writeFileSync(join(folder, name), name)
  const list = await writeSums(folder)
  t.equal(list, join(folder, "SHA256SUMS"))
  t.equal(readFileSync(list, "utf8"), there.map((name) => `${hash("sha256", name)}  ${name}\n`).join(""))
})

test("of what earlier starts left behind, only what is old and its own is deleted", (t) => {
  const place = t.testdir()
  const now = Date.now()
  const folder = (name: string, file: string, age: number) => {
    mkdirSync(join(place, name))
    writeFileSync(join(place, name, file), "")
    const moment = (now - age) / 1_000
    utimesSync(join(place, name), moment, moment)
  }
  folder(`${prefix}old`, fileName, 3_600_000)
  folder(`${prefix}starting`, fileName, 1_000)
  folder(`${prefix}other`, "letter.txt", 3_600_000)
  folder("research-room-data", fileName, 3_600_000)
  deleteLeftovers(place, now)
  t.strictSame(readdirSync(place).toSorted(), [`${prefix}other`, `${prefix}starting`, "research-room-data"].toSorted())
  deleteLeftovers(join(place, "nowhere"), now)
  t.end()
})
