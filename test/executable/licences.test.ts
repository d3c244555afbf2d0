/** The executable prints the licences of its parts, and nothing with an unknown licence is built in. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "tap"
import { noticeOf } from "../../build/notices.ts"
import { executable, newPlace, run, start } from "../support/program.ts"

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> }

test(
  "the executable prints the notices of its parts: " + "Node, the database and every dependency among them",
  async (t) => {
    const place = newPlace()
    t.teardown(place.remove)
    const { code, out } = await run(executable(), ["licences"], place)
    t.equal(code, 0)
    const builders = ["subset-font", "tsup"]
    for (const [name, version] of Object.entries(dependencies).filter(([name]) => !builders.includes(name)))
      t.match(out, `\n${name} ${version}, `, name)
    t.match(out, new RegExp(`^node-\\S+ ${process.versions.node}, MIT$`, "m"))
    t.match(out, "Copyright Node.js contributors.")
    t.match(out, "OpenSSL", "and those of the parts of Node")
    t.match(out, "SIL OPEN FONT LICENSE", "and those of the fonts")
    t.notMatch(
      out,
      /^(tap|tsup|typescript|playwright-core) /m,
      "packages used only for tests and builds are not built in",
    )
  },
)

test("a reader that stops early, as head does, causes no crash", { skip: process.platform === "win32" }, async (t) => {
  const place = newPlace()
  t.teardown(place.remove)
  const piped = `"${executable()}" licences | { read line; echo "$line"; }`
  t.match(await start("/bin/sh", ["-c", piped], place).ended(), {
    code: 0,
    out: "Research Room has these built in:\n",
    err: "",
  })
})

test("a package without a known licence is not built in; one that only names its licence gets the text", (t) => {
  const folder = (name: string, about: object, files: Record<string, string> = {}) => {
    const path = join(t.testdir(), name)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, "package.json"), JSON.stringify({ name, version: "1.2.3", ...about }))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
    return path
  }
  t.throws(() => noticeOf(folder("nameless", {})), {
    message: /^nameless 1\.2\.3 is built in, and its licence is not known/,
  })
  t.throws(() => noticeOf(folder("guarded", { license: "SEE LICENSE IN EULA.txt" })), {
    message: /licence is not known: it says "SEE/,
  })
  const { text } = noticeOf(folder("brief", { license: "MIT", author: { name: "Ada Example" } }))
  t.match(text, /^By Ada Example\.\n\nMIT License\n/)
  const both = { LICENSE: "The licence.\r\n", NOTICE: "The notice.", "licenses.js": "no notice" }
  t.equal(noticeOf(folder("whole", { license: "Apache-2.0" }, both)).text, "The licence.\n\nThe notice.")
  t.end()
})
