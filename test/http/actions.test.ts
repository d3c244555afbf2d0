/** What people do is done in one way: as JSON and as a form it has the same outcome, and sets the same cookie. */
import tap, { test } from "tap"
import { actions } from "../../src/contract/operations/actions.ts"
import { passwordOf, startOwn } from "../support/service.ts"

const own = await startOwn()
tap.teardown(() => own.close())
await own.setUp("ada")

const username = "ada"
/** A body of each action that has a form: one that is refused, and where it can be sent twice one that is not. */
const given: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  set_up: [{ token: "rru_wrong", username: "eve", password: passwordOf("eve") }],
  sign_in: [{ username, password: "wrong" }, { username }, { username, password: passwordOf("ada") }],
  change_password: [
    { currentPassword: "wrong", password: passwordOf("ada") },
    { currentPassword: passwordOf("ada"), password: "short" },
    { currentPassword: passwordOf("ada"), password: passwordOf("ada") },
  ],
  describe_person: [
    { orcid: "0000-0002-1825-0098" },
    { givenName: "Ada" },
    { name: "Ada Lovelace", orcid: "https://orcid.org/0000-0002-1825-0097" },
    {},
  ],
  invite: [{ roomId: "0198f3a0-0000-7000-8000-000000000001" }, {}],
  accept_invitation: [{ username: "eve", password: passwordOf("eve") }],
  join_by_provider: [{ username: "eve" }],
  connect_provider: [{}],
  disconnect_provider: [{}],
  sign_out: [{}],
  disable_person: [{}],
  enable_person: [{}],
  make_operator: [{}],
  unmake_operator: [{}],
  end_access: [{}],
  clear_sign_in_count: [{}],
  end_credential: [{}],
  end_key: [{}],
  end_invitation: [{}],
}

/** What came of a request: the refusal's code, or that it was done; and the cookie that was set, its value left out. */
async function outcomeOf(response: Response) {
  const text = await response.text()
  const refused = response.status >= 400
  const cookie = response.headers.get("set-cookie")?.replace(/=[^;]*/, "") ?? null
  return { status: refused ? response.status : "done", cookie, refusal: refused ? text.length > 0 : null }
}

for (const { name, method, path, form } of actions) {
  if (form === undefined) continue
  test(`${name} is the same as JSON and as a form`, async (t) => {
    t.ok((given[name] ?? []).length > 0, "there is something to send")
    for (const body of given[name] ?? []) {
      for (const [who, origin] of [
        ["ada", own.baseUrl],
        ["nobody", own.baseUrl],
        ["ada", "https://elsewhere.example"],
      ] as const) {
        const send = async (asForm: boolean) => {
          const signedIn = await fetch(`${own.baseUrl}/api/session`, {
            method: "POST",
            headers: { origin: own.baseUrl, "content-type": "application/json" },
            body: JSON.stringify({ username, password: passwordOf("ada") }),
          })
          const cookie = who === "nobody" ? {} : { cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "" }
          const response = await fetch(own.baseUrl + (asForm ? form : path).replace(/\{\w+\}/, "rri_wrong"), {
            method: asForm ? "POST" : method,
            redirect: "manual",
            headers: { origin, ...cookie, "content-type": asForm ? "application/x-www-form-urlencoded" : "application/json" },
            body: asForm ? new URLSearchParams(body).toString() : JSON.stringify(body),
          })
          return outcomeOf(response)
        }
        t.strictSame(await send(true), await send(false), `${JSON.stringify(body)} by ${who} from ${origin}`)
      }
    }
  })
}
