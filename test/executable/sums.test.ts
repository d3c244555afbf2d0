/** The list of digests of the released files, and the clean-up of files that Windows leaves behind. */
import { hash } from "node:crypto"
import {
  chownSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { test } from "tap"
import { deleteLeftovers, fileName, prefix } from "../../build/leftovers.ts"
import { platforms, releaseName } from "../../build/platforms.ts"
import { writeSums } from "../../build/sums.ts"

test("SHA256SUMS lists the released files that exist, and nothing else, in the format of sha256sum", async (t) => {
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

test("of the files of earlier starts, only old ones of its own are deleted", (t) => {
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

test("no link is followed, and no other user's folder is touched", { skip: process.platform === "win32" }, (t) => {
  const [place, elsewhere] = [t.testdir(), join(t.testdirName, "elsewhere")]
  const old = (Date.now() - 3_600_000) / 1_000
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, fileName), "somebody's own")
  const link = join(place, `${prefix}link`)
  symlinkSync(elsewhere, link)
  lutimesSync(link, old, old)
  utimesSync(elsewhere, old, old)
  const another = join(place, `${prefix}another`)
  mkdirSync(another)
  writeFileSync(join(another, fileName), "")
  if (process.getuid?.() === 0) chownSync(another, 65_534, 65_534)
  utimesSync(another, old, old)
  deleteLeftovers(place, Date.now())
  t.ok(existsSync(join(elsewhere, fileName)), "the target of a link is still there")
  if (process.getuid?.() === 0) t.ok(existsSync(join(another, fileName)), "another user's files are left to that user")
  t.end()
})
