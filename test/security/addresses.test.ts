/** Addresses and names that would end the text they are put into, or look like others. */
import t from "tap"
import { pythonClient } from "../../src/discovery/python.ts"
import { packaged } from "../../src/packaged.ts"
import { describedBy } from "../../src/research/import/origin.ts"
import { webAddress } from "../../src/settings.ts"

t.test("The Python client holds the address as one string, whatever its path", async (t) => {
  for (const path of ['"\n__import__("os")#', "\\", "$&$'", "'; x", "\u202e"]) {
    const baseUrl = webAddress(`http://Rooms.example.org/${path}`)
    t.match(baseUrl, /^http:\/\/rooms\.example\.org(?:\/[^"\\\s\u202e]*)?$/)
    const client = pythonClient(packaged("src/client/python/research_room.py"), { baseUrl, softwareVersion: "1" })
    t.ok(client.includes(`\nBASE_URL = "${baseUrl}"\n`), baseUrl)
  }
})

t.test("A name of another instance with signs that nobody sees is left unsaid", async (t) => {
  const person = { userId: "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b", username: "ada" }
  for (const sign of ["\u202e", "\u200b", "\u2066", "\ufeff", "\n"])
    t.equal(describedBy({ ...person, name: `Ada${sign} Lovelace` })?.name, null)
  t.equal(describedBy({ ...person, name: "Ada Lovelace" })?.name, "Ada Lovelace")
})
