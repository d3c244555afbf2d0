/** Behind https every answer tells the browser to use nothing else; without https none does. */
import tap, { test } from "tap"
import { dial, head } from "../support/socket.ts"
import { startWatched } from "./service.ts"

const secure = await startWatched({ baseUrl: "https://rooms.example.org/lab" })
const plain = await startWatched()
tap.teardown(async () => {
  await secure.close()
  await plain.close()
})
const host = "Host: rooms.example.org"

/** Sends some bytes and returns the service's answer. */
async function said(port: number, bytes: string): Promise<string> {
  const line = await dial(`http://127.0.0.1:${port}`)
  await line.send(bytes)
  return line.closed()
}

test("pages, data, refusals and garbage", async (t) => {
  for (const [what, bytes] of Object.entries({
    "a page": head("GET", "/lab/", host, "Connection: close"),
    "a read": head("GET", "/lab/api/research/rooms", host, "Connection: close"),
    "a refusal": head("GET", "/lab/api/nowhere", host, "Connection: close"),
    "a foreign host": head("GET", "/", "Host: evil.example", "Connection: close"),
    "an expectation that is not met": head(
      "POST",
      "/lab/api/session",
      host,
      "Expect: the-unexpected",
      "Connection: close",
    ),
    "no HTTP": "hello\r\n\r\n",
  })) {
    t.match(await said(secure.port, bytes), /^strict-transport-security: max-age=31536000\r$/im, what)
    t.notMatch(
      await said(plain.port, bytes.replace("/lab", "")),
      /strict-transport-security/i,
      `${what}, without https`,
    )
  }
})
