/**
 * Each action of people is sent to one service as JSON and to another with its form. Both services run the same story,
 * so each answer, each cookie and all stored data afterwards must be the same.
 */
import tap, { test } from "tap"
import { type ActionName, actions } from "../../src/contract/operations/actions.ts"
import { networksIn } from "../../src/rooms/webhook-addresses.ts"
import { type Own, passwordOf, startOwn } from "../support/service.ts"

interface Side {
  readonly own: Own
  readonly asForm: boolean
  /** The session cookie of each person who signed in. */
  readonly cookies: Map<string, string>
  /** Values for names in braces in the story's paths and bodies: `{eve}` is eve's id. */
  readonly known: Map<string, string>
}

type Fields = Readonly<Record<string, string>>
/** Who sends which action, with which fields, and the outcome: `done`, or the status and code of the refusal. */
type Step = readonly [by: string, name: ActionName, fields: Fields, outcome: string]

const eve = { username: "eve", password: passwordOf("eve") }
const own = { subject: "{eve}" }
/** Nothing is written to the Room after the webhook is added, so no receiver has to listen there. */
const HOOK = "http://127.0.0.1:9/hook"
const story: readonly Step[] = [
  ["ada", "set_up", { token: "rru_wrong", username: "ada", password: passwordOf("ada") }, "401 not_authenticated"],
  ["ada", "set_up", { token: "{set-up}", username: "ada", password: "short" }, "422 invalid_schema"],
  ["ada", "set_up", { token: "{set-up}", username: "ada", password: passwordOf("ada") }, "done"],
  ["ada", "sign_in", { username: "ada", password: "wrong" }, "401 not_authenticated"],
  ["ada", "sign_in", { username: "ada" }, "422 invalid_schema"],
  ["ada", "sign_in", { username: "ada", password: passwordOf("ada") }, "done"],
  ["ada", "invite", { roomId: "0198f3a0-0000-7000-8000-000000000001" }, "403 role_required"],
  ["ada", "invite", {}, "done"],
  ["eve", "accept_invitation", { ...eve, subject: "rri_wrong" }, "404 room_unavailable"],
  ["eve", "accept_invitation", { ...eve, password: "short", subject: "{invitation}" }, "422 invalid_schema"],
  ["eve", "accept_invitation", { ...eve, subject: "{invitation}" }, "done"],
  ["eve", "change_password", { currentPassword: "wrong", password: passwordOf("eve") }, "401 not_authenticated"],
  ["eve", "change_password", { currentPassword: passwordOf("eve"), password: "short" }, "422 invalid_schema"],
  ["eve", "change_password", { currentPassword: passwordOf("eve"), password: passwordOf("eva") }, "done"],
  ["eve", "describe_person", { orcid: "0000-0002-1825-0098" }, "422 invalid_schema"],
  ["eve", "describe_person", { name: "Eve Online", orcid: "https://orcid.org/0000-0002-1825-0097" }, "done"],
  ["eve", "describe_person", {}, "done"],
  ["eve", "join_by_provider", { username: "eva" }, "404 unknown_operation"],
  ["eve", "connect_provider", {}, "404 unknown_operation"],
  ["eve", "disconnect_provider", {}, "404 unknown_operation"],
  ["eve", "make_operator", own, "404 unknown_operation"],
  ["ada", "make_operator", own, "done"],
  ["ada", "make_operator", own, "409 state_conflict"],
  ["ada", "unmake_operator", own, "done"],
  ["ada", "add_webhook", { subject: "{room}", url: HOOK }, "403 role_required"],
  ["grace", "sign_in", { username: "grace", password: passwordOf("grace") }, "done"],
  ["grace", "add_webhook", { subject: "{room}", url: "ftp://127.0.0.1/" }, "422 invalid_schema"],
  ["grace", "add_webhook", { subject: "{room}", url: "http://10.0.0.1/" }, "422 invalid_schema"],
  ["grace", "add_webhook", { subject: "{room}", url: HOOK }, "done"],
  ["ada", "change_webhook", { subject: "{webhook}", do: "turn_off" }, "403 role_required"],
  ["grace", "change_webhook", { subject: "{webhook}", do: "send_again" }, "422 invalid_schema"],
  ["grace", "change_webhook", { subject: "{webhook}", do: "turn_off" }, "done"],
  ["grace", "change_webhook", { subject: "{webhook}", do: "turn_on" }, "done"],
  ["grace", "change_webhook", { subject: "{webhook}", do: "remove" }, "done"],
  ["grace", "change_webhook", { subject: "{webhook}", do: "turn_on" }, "404 room_unavailable"],
  ["ada", "end_credential", { subject: "{credential}" }, "done"],
  ["ada", "end_key", { subject: "{key}" }, "done"],
  ["ada", "end_invitation", { subject: "{open invitation}" }, "done"],
  ["ada", "end_invitation", { subject: "{open invitation}" }, "409 state_conflict"],
  ["ada", "clear_sign_in_count", own, "done"],
  ["ada", "end_access", { subject: "{grace}" }, "done"],
  ["ada", "end_sessions", { subject: "{grace}" }, "done"],
  ["ada", "disable_person", own, "done"],
  ["eve", "sign_in", { ...eve, password: passwordOf("eva") }, "401 not_authenticated"],
  ["ada", "enable_person", own, "done"],
  ["ada", "sign_out", {}, "done"],
]

async function open(asForm: boolean): Promise<Side> {
  const own = await startOwn({ webhooks: { networks: networksIn("127.0.0.0/8") } })
  tap.teardown(() => own.close())
  return {
    own,
    asForm,
    cookies: new Map(),
    known: new Map([["{set-up}", new URL(own.setUpLink ?? "").searchParams.get("token") ?? ""]]),
  }
}
const sides = [await open(false), await open(true)]

/** Everything that the actions may change, with names instead of ids, and without digests and times. */
function storedIn({ own: { instance } }: Side): unknown {
  const all = (sql: string) => instance.db.prepare<object>(sql).all()
  return {
    people: all(
      `SELECT username, is_operator, disabled_at IS NULL, signed_in_at IS NULL, count_cleared_at IS NULL, name,
          given_name, family_name, orcid FROM people ORDER BY 1`,
    ),
    sessions: all("SELECT username, count(*) FROM sessions JOIN people USING (user_id) GROUP BY 1 ORDER BY 1"),
    invitations: all(
      "SELECT accepted_by IS NULL, revoked_at IS NULL, room_id IS NULL FROM invitations ORDER BY created_at",
    ),
    credentials: all("SELECT label, revoked_at IS NULL FROM credentials ORDER BY 1"),
    webhooks: all("SELECT url, delivered, off_because FROM webhooks"),
    keys: all("SELECT label, revoked_at IS NULL FROM personal_keys ORDER BY 1"),
    audit: all("SELECT kind, by_id IS NULL, subject_id IS NULL FROM audit_entries ORDER BY sequence"),
  }
}

/** Sends an action as JSON or with its form, depending on the side. */
async function send(
  side: Side,
  [by, name, fields]: Step,
  { cookie = side.cookies.get(by), origin = side.own.baseUrl } = {},
) {
  const action = actions.find((each) => each.name === name)
  if (action?.form === undefined) throw new Error(`${name} has no form`)
  const { subject = "", ...body } = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, side.known.get(value) ?? value]),
  )
  const address = (side.asForm ? action.form : action.path).replace(/\{\w+\}/, subject)
  const response = await fetch(side.own.baseUrl + address, {
    method: side.asForm ? "POST" : action.method,
    redirect: "manual",
    headers: {
      origin,
      ...(cookie && { cookie }),
      "content-type": side.asForm ? "application/x-www-form-urlencoded" : "application/json",
    },
    body: side.asForm ? new URLSearchParams(body).toString() : JSON.stringify(body),
  })
  return { status: response.status, cookie: response.headers.get("set-cookie"), text: await response.text() }
}

/** The outcome as text; a page shows a refusal as a sentence, so only JSON has its code. */
const outcomeOf = ({ status, text }: { status: number; text: string }, asForm: boolean): string =>
  status < 400 ? "done" : asForm ? String(status) : `${status} ${(JSON.parse(text) as { refusal: string }).refusal}`

/** Makes what operators end: a credential, a key and an invitation by grace. */
async function prepare(side: Side): Promise<void> {
  const grace = await side.own.person("grace")
  const { roomId } = (await grace.write("create_room", { title: "Warm-up" })).result
  const issue = (label: string) =>
    grace.write("issue_credential", { roomId, label, permissions: ["post_thread"] } as never)
  const key = async (label: string) => {
    const body = {
      schemaVersion: 1,
      requestId: crypto.randomUUID(),
      label,
      permissions: ["read_library"],
      reach: "all",
    }
    return ((await (await grace.request("POST", "/api/library/keys", body)).json()) as { result: { keyId: string } })
      .result.keyId
  }
  const { result } = (await issue("sweeper")) as unknown as { result: { credentialId: string } }
  await issue("runner")
  await key("writer")
  const invited = (await (await grace.request("POST", "/api/invitations", { roomId })).json()) as {
    invitationId: string
  }
  side.known
    .set("{room}", roomId)
    .set("{credential}", result.credentialId)
    .set("{key}", await key("reader"))
    .set("{open invitation}", invited.invitationId)
  for (const name of ["eve", "grace"])
    side.known.set(`{${name}}`, side.own.instance.tables.people.named(name)?.userId ?? "")
}

test("the story has every action that a page has a form for", (t) => {
  const done = story.map(([, name]) => name)
  t.strictSame(
    actions.flatMap(({ name, form }) => (form === undefined || done.includes(name) ? [] : [name])),
    [],
  )
  t.end()
})

for (const step of story) {
  const [by, name, fields, outcome] = step
  test(`${by} sends ${name} ${JSON.stringify(fields)}: ${outcome}`, async (t) => {
    const stored: unknown[] = []
    const cookies: (string | null)[] = []
    for (const side of sides) {
      if (name === "make_operator" && !side.known.has("{eve}")) await prepare(side)
      const before = storedIn(side)
      const way = side.asForm ? "the form" : "JSON"
      if (outcome === "done") {
        const elsewhere = await send(side, step, { origin: "https://elsewhere.example" })
        t.equal(elsewhere.status, 403, `${way} of another origin is refused`)
        if (actions.find((each) => each.name === name)?.by !== "anyone")
          t.ok((await send(side, step, { cookie: "" })).status >= 400, `${way} without a session is refused`)
        t.strictSame(storedIn(side), before, `and ${way} changed nothing`)
      }
      const answer = await send(side, step)
      t.equal(outcomeOf(answer, side.asForm), side.asForm && outcome !== "done" ? outcome.slice(0, 3) : outcome, way)
      if (outcome === "done") t.notSame(storedIn(side), before, `${way} changed the stored data`)
      const token = answer.text.match(/rri_[\w-]+/)?.[0]
      const webhook = side.own.instance.tables.webhooks.on()[0]
      if (webhook !== undefined) side.known.set("{webhook}", webhook.webhookId)
      if (name === "invite" && token) side.known.set("{invitation}", token)
      if (answer.cookie && outcome === "done") side.cookies.set(by, answer.cookie.split(";")[0] ?? "")
      stored.push(storedIn(side))
      cookies.push(answer.cookie?.replace(/=[^;]*/, "") ?? null)
    }
    t.strictSame(stored[1], stored[0], "the form stores what JSON stores")
    t.equal(cookies[1], cookies[0], "and sets the same cookie")
  })
}
