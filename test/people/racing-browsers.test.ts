/**
 * Two browsers at one link: exactly one makes the account, and the other gets a page that says what happened and where
 * to go.
 */
import tap, { test } from "tap"
import { passwordOf, startOwn } from "../support/service.ts"
import { Visitor } from "./visitor.ts"

const house = await startOwn({ entrance: { passwords: true, invitations: "everyone" } })
tap.teardown(() => house.close())
const names = () => house.instance.tables.people.all().map(({ username }) => username)

/** Opens a link in several browsers, then sends all of their forms at once. */
async function race(link: string, usernames: readonly string[]) {
  const browsers = await Promise.all(
    usernames.map(async (username) => {
      const visitor = new Visitor()
      const { text, status } = await visitor.open(link)
      const action = /<form[^>]*method="post"[^>]*action="([^"]*)"/.exec(text)?.[1] ?? ""
      const hidden = [...text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
        /name="([^"]*)"/.exec(input)?.[1] ?? "",
        /value="([^"]*)"/.exec(input)?.[1] ?? "",
      ])
      return { visitor, username, status, action, hidden: Object.fromEntries(hidden) as Record<string, string> }
    }),
  )
  return Promise.all(
    browsers.map(async ({ visitor, username, status, action, hidden }) => {
      const page = await visitor.send(new URL(action, house.baseUrl).href, {
        ...hidden,
        username,
        password: passwordOf(username),
      })
      const who = (await (await visitor.once(`${house.baseUrl}/api/session`)).json()) as {
        person: { username: string } | null
      }
      return { username, before: status, page, person: who.person?.username ?? null }
    }),
  )
}

/** The username as typed in the browser that came first. */
let operator = ""

test("of four browsers at the set-up link one becomes the operator, and the others are told to sign in", async (t) => {
  const came = await race(house.setUpLink ?? "", ["ada", "ADA", "eve", "grace"])
  t.strictSame(
    came.map(({ before }) => before),
    [200, 200, 200, 200],
  )
  const [first, ...more] = came.filter(({ person }) => person !== null)
  t.strictSame([more, names()], [[], [first?.person]])
  operator = first?.username ?? ""
  for (const { page, username } of came.filter(({ person }) => person === null)) {
    t.equal(page.status, 409, username)
    t.match(page.text, /This instance is set up already. Sign in instead/)
    t.notMatch(page.text, /You are the first person here|type="password"/, "the form is not offered again")
    t.match(page.text, /href="\/sign-in"/)
    t.match(page.text, /href="\/sign-in\?next=%2F"/, "signing in leads to a page that opens")
  }
})

test("of four browsers at one invitation one gets an account, and the others are told that it was used", async (t) => {
  const browser = house.stranger()
  await browser.request("POST", "/api/session", { username: operator, password: passwordOf(operator) })
  const { link } = (await (await browser.request("POST", "/api/invitations", {})).json()) as { link: string }
  const before = names()
  const came = await race(link, ["mary", "Mary", "hedy", "emmy"])
  t.strictSame(
    came.map(({ before: status }) => status),
    [200, 200, 200, 200],
  )
  const [first, ...more] = came.filter(({ person }) => person !== null)
  t.strictSame([more, names()], [[], [...before, first?.person]])
  for (const { page, username } of came.filter(({ person }) => person === null)) {
    t.equal(page.status, 404, username)
    t.match(page.text, /This invitation does not exist, was used, was revoked or has expired/)
    t.match(page.text, /No account was created[^]*href="\/sign-in"/)
  }
})
