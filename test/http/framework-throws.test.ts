/** An error thrown by the framework itself ends one request, and is logged; the service carries on. */
import tap, { test } from "tap"
import { listen, serveOn } from "../../src/http/server.ts"
import { appOf, openLedger } from "../support/lab.ts"

const lab = await openLedger(tap)
const { server, port } = await listen("127.0.0.1", 0)
const baseUrl = `http://127.0.0.1:${port}`
const app = appOf(lab.instance, baseUrl)
const sound = app.fetch
let fetchOf: typeof app.fetch = sound
app.fetch = (request) => fetchOf(request)
const stop = serveOn(server, app, baseUrl)
tap.teardown(stop)

const broken: Readonly<Record<string, typeof app.fetch>> = {
  "at once": () => {
    throw new TypeError("Invalid URL")
  },
  "a moment later": () => Promise.reject(new TypeError("Invalid URL")),
}

for (const [when, fails] of Object.entries(broken))
  test(`it throws ${when}`, async (t) => {
    fetchOf = fails
    const read = await fetch(`${baseUrl}/api/research/rooms`)
    t.equal(read.status, 503)
    t.match(await read.json(), { refusal: "temporarily_unavailable", committed: false })
    const written = await fetch(`${baseUrl}/api/agent/threads/x/messages`, { method: "POST", body: "{}" })
    t.match(await written.json(), { refusal: "temporarily_unavailable", committed: null })
    fetchOf = sound
    t.equal((await fetch(`${baseUrl}/api/research/rooms`)).status, 200)
  })
