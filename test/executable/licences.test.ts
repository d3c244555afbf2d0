/** The executable says whose work it holds, and nothing goes into it whose licence is not known. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "tap"
import { noticeOf } from "../../build/notices.ts"
import { executable, newPlace, run, start } from "../support/program.ts"

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> }

test("the executable prints the notices of what is built in: Node, the database and every dependency among them", async (t) => {
  const place = newPlace()
  t.teardown(place.remove)
  const { code, out } = await run(executable(), ["licences"], place)
  t.equal(code, 0)
  for (const [name, version] of Object.entries(dependencies)) t.match(out, `\n${name} ${version}, `, name)
  t.match(out, /^node-\S+ 26\.10\.0, MIT$/m)
  t.match(out, "Copyright Node.js contributors.")
  t.match(out, "OpenSSL", "and those of what Node is made of")
  t.match(out, "SIL OPEN FONT LICENSE", "and those of the fonts")
  t.notMatch(out, /^(tap|typescript|playwright-core) /m, "what only tests and builds use is not built in")
})

test("whoever has read enough of it, as head does, leaves no crash behind", { skip: process.platform === "win32" }, async (t) => {
  const place = newPlace()
  t.teardown(place.remove)
  const piped = `"${executable()}" licences | { read line; echo "$line"; }`
  t.match(await start("/bin/sh", ["-c", piped], place).ended(), { code: 0, out: "Research Room has these built in:\n", err: "" })
})

test("a package without a known licence is not built in; one that only names it comes with its words", (t) => {
  const folder = (name: string, about: object, files: Record<string, string> = {}) => {
    const path = join(t.testdir(), name)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, "package.json"), JSON.stringify({ name, version: "1.2.3", ...about }))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
    return path
  }
  t.throws(() => noticeOf(folder("nameless", {})), { message: /^nameless 1\.2\.3 is built in, and its licence is not known/ })
  t.throws(() => noticeOf(folder("guarded", { license: "SEE LICENSE IN EULA.txt" })), { message: /licence is not known: it says "SEE/ })
  const { text } = noticeOf(folder("brief", { license: "MIT", author: { name: "Ada Example" } }))
  t.match(text, /^By Ada Example\.\n\nMIT License\n/)
  const both = { LICENSE: "The licence.\r\n", NOTICE: "The notice.", "licenses.js": "no notice" }
  t.equal(noticeOf(folder("whole", { license: "Apache-2.0" }, both)).text, "The licence.\n\nThe notice.")
  t.end()
})
