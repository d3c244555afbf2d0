/** Addresses and names that would break out of the text that holds them, or look like others. */
import t from "tap"
import { pythonClient } from "../../src/discovery/python.ts"
import { describedBy } from "../../src/research/import/writes.ts"
import { webAddress } from "../../src/settings.ts"

/** The address as the program reads it; null if it is refused. */
function tryAddress(value: string): string | null {
  try {
    return webAddress(value)
  } catch {
    return null
  }
}

t.test("An address contains nothing that would end a Python string or mean something to a shell", async (t) => {
  const hostile = ['a"b', "a'b", "a$(id)b", "a`id`b", "a;id", "a&b", "a{b}", "a(b)", "a!b", "a*b", "a$b"]
  for (const host of hostile)
    t.throws(() => webAddress(`http://${host}.example.org/lab`), { message: /host and path/ }, host)
  for (const path of ["$(id)", "'; x", "a;id", "a|b", "a&b", "$&$'", "a!b", "a*b", "@VERSION@", "(x)"])
    t.throws(() => webAddress(`http://rooms.example.org/${path}`), { message: /host and path/ }, path)
  t.throws(() => webAddress("http://:secret@rooms.example.org"), { message: /host and path|user/ })
  for (const own of [
    "http://127.0.0.1:8787",
    "http://[::1]:1/a",
    "https://rooms.example.org/a/b-c_d~e",
    "https://rooms.example.org/%22x",
  ])
    t.equal(webAddress(own), own)
  t.equal(
    webAddress("https://RÄUME.example/lab/"),
    "https://xn--rume-loa.example/lab",
    "other letters are written in ASCII",
  )
})

t.test("The Python client holds the address as one string, whatever its path", async (t) => {
  for (const path of ['"\n__import__("os")#', "\\", '"""', "\u202e"]) {
    const baseUrl = tryAddress(`http://Rooms.example.org/${path}`)
    if (baseUrl === null) continue
    t.match(baseUrl, /^http:\/\/rooms\.example\.org(?:\/[^"\\\s\u202e]*)?$/)
    const client = pythonClient({ baseUrl, softwareVersion: "1" })
    t.ok(client.includes(`\nBASE_URL = "${baseUrl}"\n`), baseUrl)
  }
})

t.test("A name of another instance with invisible characters is not shown", async (t) => {
  const person = { userId: "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b", username: "ada" }
  for (const sign of ["\u202e", "\u200b", "\u2066", "\ufeff", "\n"])
    t.equal(describedBy({ ...person, name: `Ada${sign} Lovelace` })?.name, null)
  t.equal(describedBy({ ...person, name: "Ada Lovelace" })?.name, "Ada Lovelace")
})
