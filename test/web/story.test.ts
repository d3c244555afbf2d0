/** The app as people use it: from the set-up link to a Room where an agent writes while somebody watches. */
import type { Page } from "playwright-core"
import t from "tap"
import { passwordOf } from "../support/service.ts"
import { ownInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

const { own, browser, at } = await ownInBrowser()

/** A form's refusal, and the fields beside which it is shown. */
async function faults(page: Page): Promise<string[]> {
  const shown = page.locator(".field.wrong > .fault, fieldset > .fault")
  await shown.first().waitFor()
  return shown.allTextContents()
}

async function enter(page: Page, username: string, button: string): Promise<void> {
  await page.getByLabel("Name").fill(username)
  await page.getByLabel("Password").fill(passwordOf(username))
  await page.getByRole("button", { name: button }).click()
}

t.test(
  "from the set-up link to a Thread, a statement, a credential and an agent's write that appears without a reload",
  async (t) => {
    const { page, troubles, context } = await watched(browser, own.baseUrl, {}, [401, 404, 409, 422])

    await page.goto(own.setUpLink ?? "")
    await page.getByLabel("Name").fill("a")
    await page.getByLabel("Password").fill("short")
    await page.getByRole("button", { name: "Create the account" }).click()
    t.equal((await faults(page)).length, 2, "the name and the password are refused, each at its field")
    await enter(page, "ada", "Create the account")
    await page.waitForURL(at("/"))
    t.match(await page.textContent(".who"), "ada")

    await page.getByRole("link", { name: "Create a Room" }).click()
    await page.getByLabel("Title").fill("Does warm-up matter?")
    await page.getByLabel("Question").fill("How much of the early loss does warm-up explain?")
    await page.getByRole("button", { name: "Create the Room" }).click()
    await page.waitForURL(/\/rooms\/[0-9a-f-]{36}/)
    const room = new URL(page.url()).pathname
    t.equal(await page.textContent("h1"), "Does warm-up matter?")
    t.match(await page.textContent(".done"), "Room created.")

    await page.goto(at(`${room}/threads`))
    await page.getByRole("link", { name: "Start a Thread" }).click()
    await page.getByLabel("Title").fill("What we mean by warm-up")
    await page.getByLabel("Message").fill("A ramp of $n_w$ steps, **linear**.")
    await page.getByRole("button", { name: "Preview" }).click()
    t.equal(await page.locator(".preview math").count(), 1, "the preview shows the formula")
    t.equal(await page.getByLabel("Title").inputValue(), "What we mean by warm-up", "and the draft stays")
    await page.getByRole("button", { name: "Start the Thread" }).click()
    await page.waitForURL(/\/threads\//)
    const thread = new URL(page.url()).pathname
    t.equal(await page.locator("#timeline .prose math").count(), 1)

    await page.getByLabel("Write in this Thread").fill("Typed, and not sent yet.")
    await page.reload()
    t.equal(
      await page.getByLabel("Write in this Thread").inputValue(),
      "Typed, and not sent yet.",
      "a draft survives a reload",
    )
    await page.getByRole("button", { name: "Post", exact: true }).last().click()
    await page.waitForURL(/done=post_message/)
    t.equal(await page.getByLabel("Write in this Thread").inputValue(), "", "and is removed once it is stored")
    t.match(await page.locator("#timeline .chosen").textContent(), "Typed, and not sent yet.")

    await t.test("a statement is published with the form of its own schema", async (t) => {
      await page.goto(at(`/do/publish_hypothesis?roomId=${room.split("/")[2]}&threadId=${thread.split("/")[2]}`))
      await page.getByRole("button", { name: "Publish the hypothesis" }).click()
      t.same(
        await faults(page),
        ["Say what you claim.", "Say where it should hold."],
        "each missing field is reported beside it",
      )
      await page.getByLabel("What do you claim?").fill("A linear warm-up lowers the loss.")
      await page.getByRole("button", { name: "Was it tried before?" }).click()
      t.match(
        await page.getByRole("region", { name: "Already tried?" }).textContent(),
        "Nothing in this Room is similar to it.",
      )
      t.equal(
        await page.getByLabel("What do you claim?").inputValue(),
        "A linear warm-up lowers the loss.",
        "and the draft stays",
      )
      t.match(
        await page.locator("[data-structure] > summary").textContent(),
        /lowers.*cause: linear warm-up.*effect: loss/s,
      )
      await page.getByLabel("Where does it hold?").fill("Small models.")
      await page.getByRole("button", { name: "Publish the hypothesis" }).click()
      await page.waitForURL(/\/records\//)
      t.equal(await page.locator("h1 .concept").textContent(), "lowers", "the concept is underlined in the wording")
      await page.locator("h1 .concept").focus()
      t.ok(await page.locator("h1 .tip").isVisible(), "its definition shows on focus")
    })

    // shows: What an agent writes over HTTP appears in the browser.
    await t.test(
      "a credential is issued, shown once, and used by an agent whose write appears in the open page",
      async (t) => {
        await page.goto(at(`${room}/people`))
        await page.getByRole("link", { name: "Bring an agent" }).click()
        await page.getByRole("link", { name: /^Limits/ }).click()
        await page.getByLabel("The agent's name").fill("sweep agent")
        await page.getByLabel("publish hypotheses").uncheck()
        await page.getByRole("button", { name: "Issue the credential" }).click()
        const token =
          (await page.locator("#token ~ *, .command").first().textContent())?.match(/rrc_\w+/)?.[0] ??
          (await page.locator(".command code").first().textContent()) ??
          ""
        t.match(token, /^rrc_/)
        await page.goto(at(`${room}/people`))
        t.notMatch(await page.content(), token, "it is not shown again")

        await page.goto(at(thread))
        await page.locator("#main[data-after]").waitFor({ state: "attached" })
        await page.getByLabel("Write in this Thread").fill("I am writing")
        const before = await page.evaluate("scrollY")
        const sent = await fetch(at(`/api/agent${thread}/messages`), {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({
            schemaVersion: 3,
            clientMessageId: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e",
            text: "The agent has *landed*.",
            client: { name: "sweep" },
          }),
        })
        t.equal(sent.status, 200)
        await page.locator("#timeline .fresh", { hasText: "landed" }).waitFor({ timeout: 10_000 })
        t.equal(
          await page.locator("#timeline .fresh", { hasText: "A linear warm-up" }).count(),
          1,
          "what was added since the last visit is marked too",
        )
        t.equal(await page.evaluate("scrollY"), before, "the reader's scroll position stays")
        t.equal(await page.getByLabel("Write in this Thread").inputValue(), "I am writing", "and so does typed text")
      },
    )

    await t.test("a lost connection is reported, and what was missed is fetched", async (t) => {
      await context.setOffline(true)
      await page.getByText("The connection is lost").waitFor({ timeout: 40_000 })
      const ada = await own.person("grace")
      await own.instance.tables.members.add(
        room.split("/")[2] ?? "",
        own.instance.tables.people.named("grace")?.userId ?? "",
        "member",
        new Date().toISOString(),
      )
      await ada.write("post_message", { threadId: thread.split("/")[2] ?? "", text: "While you were away." } as never)
      await context.setOffline(false)
      await page.getByText("While you were away.").waitFor({ timeout: 20_000 })
      t.equal(await page.locator("#connection").textContent(), "")
    })
    t.same(
      troubles().filter((trouble) => !trouble.includes("ERR_INTERNET_DISCONNECTED")),
      [],
    )
    await context.close()
  },
)

t.test("an invitation makes an account, a request to join is decided, and a second decision is refused", async (t) => {
  const ada = await watched(browser, own.baseUrl, {}, [404, 409, 422])
  await ada.page.goto(at("/sign-in"))
  await enter(ada.page, "ada", "Sign in")
  await ada.page.waitForURL(at("/"))
  await ada.page.goto(at("/account"))
  await ada.page.getByRole("button", { name: "Make an invitation link" }).click()
  const link = (await ada.page.locator(".command").textContent()) ?? ""

  const mary = await watched(browser, own.baseUrl, {}, [401, 404, 409, 422])
  await mary.page.goto(link.trim())
  await enter(mary.page, "mary", "Create the account")
  await mary.page.waitForURL(at("/"))
  await mary.page.getByRole("link", { name: "Does warm-up matter?" }).click()
  const room = new URL(mary.page.url()).pathname
  await mary.page.getByRole("link", { name: "Ask to join" }).first().click()
  await mary.page.getByLabel("Message").fill("I run the same sweep.")
  await mary.page.getByRole("button", { name: "Ask to join" }).click()
  await mary.page.waitForURL(/done=request_to_join/)

  await ada.page.goto(at(`${room}/people`))
  const second = await ada.context.newPage()
  await second.goto(at(`${room}/people`))
  await ada.page.getByRole("button", { name: "Accept mary" }).click()
  await ada.page.waitForURL(/done=decide_join_request/)
  t.match(await ada.page.textContent("main"), /mary/)
  await second.getByRole("button", { name: "Accept mary" }).click()
  t.match(await second.locator("[role=alert]").textContent(), /member of this Room already|no open request|Not stored/i)
  await mary.page.goto(at("/account"))
  await mary.page.getByLabel("Current password").fill("not this one")
  await mary.page.getByLabel("New password").fill("a new sentence, longer than the old one")
  await mary.page.getByRole("button", { name: "Change the password" }).click()
  t.match(await mary.page.locator("[role=alert]").textContent(), /was not changed/)
  await mary.page.getByLabel("Current password").fill(passwordOf("mary"))
  await mary.page.getByLabel("New password").fill(passwordOf("mary"))
  await mary.page.getByRole("button", { name: "Change the password" }).click()
  await mary.page.waitForURL(at("/account"))
  t.equal(await mary.page.textContent("h1"), "mary", "this browser stays signed in")
  t.same([...ada.troubles(), ...mary.troubles()], [])
  await ada.context.close()
  await mary.context.close()
})

// shows: A conflict shows the current state, and a draft is kept.
t.test(
  "two people take the same experiment and one wins; a conflict keeps the draft; the Room is concluded",
  async (t) => {
    const roomId = own.instance.tables.rooms.all()[0]?.roomId ?? ""
    const threadId = own.instance.tables.rooms.openingThread(roomId) ?? ""
    const ada = await watched(browser, own.baseUrl, {}, [409])
    await ada.page.goto(at("/sign-in"))
    await enter(ada.page, "ada", "Sign in")
    await ada.page.waitForURL(at("/"))
    await ada.page.goto(at(`/do/propose_experiment?roomId=${roomId}&threadId=${threadId}`))
    await ada.page.getByLabel("What do you want to find out?").fill("Is it lower?")
    await ada.page.getByLabel("On what?").fill("One model.")
    await ada.page.getByRole("button", { name: "Propose the experiment" }).click()
    await ada.page.waitForURL(/\/experiments\//)
    const experiment = new URL(ada.page.url()).pathname

    const mary = await watched(browser, own.baseUrl, {}, [409])
    await mary.page.goto(at("/sign-in"))
    await enter(mary.page, "mary", "Sign in")
    await mary.page.waitForURL(at("/"))
    for (const { page } of [ada, mary]) {
      await page.goto(at(experiment))
      await page.getByRole("link", { name: "Take the experiment" }).click()
      await page.getByRole("button", { name: "Take it" }).waitFor()
    }
    await ada.page.getByRole("button", { name: "Take it" }).click()
    await ada.page.waitForURL(/\/experiments\/.*done=take_experiment/)
    await mary.page.getByRole("button", { name: "Take it" }).click()
    const told = await mary.page.locator("[role=alert]").textContent()
    t.match(told, /Not stored/)
    t.match(told, /claimed/, "it shows the current state of the experiment")

    await ada.page.getByRole("link", { name: "Give the experiment back" }).click()
    await ada.page.getByLabel("What should the next person know?").fill("Two of five seeds ran.")
    const second = await ada.context.newPage()
    await second.goto(at(experiment))
    await second.getByRole("link", { name: "Say that it is under way" }).click()
    t.equal(
      await second.getByLabel("What is its status?").inputValue(),
      "in_progress",
      "an affordance opens its form filled in",
    )
    await second.getByRole("button", { name: "Report it" }).click()
    await second.waitForURL(/done=report_experiment_status/)
    await ada.page.getByRole("button", { name: "Give it back" }).click()
    t.match(
      await ada.page.locator("[role=alert]").textContent(),
      /was claimed, is now in progress/,
      "a conflict shows what changed",
    )
    t.equal(
      await ada.page.getByLabel("What should the next person know?").inputValue(),
      "Two of five seeds ran.",
      "the draft survives it",
    )
    await ada.page.getByRole("button", { name: "Give it back" }).click()
    await ada.page.waitForURL(/done=release_experiment/)
    t.match(await ada.page.textContent("main"), /Two of five seeds ran/, "and is sent for the state that was shown")

    const { timelineWatermark } = own.instance.tables.threads.summary(threadId) as { timelineWatermark: number }
    await ada.page.goto(
      at(
        `/do/post_research_checkpoint?threadId=${threadId}&expectedWatermark=${timelineWatermark}` +
          `&coversThrough=${timelineWatermark}`,
      ),
    )
    await ada.page.getByLabel("Is the question settled?").selectOption("concluded")
    await ada.page.getByLabel("Where do things stand?").fill("It is *lower*.")
    await ada.page.getByLabel("The conclusion").fill("Warm-up lowers the early loss of this model.")
    await ada.page.getByRole("button", { name: "Post the checkpoint" }).click()
    await ada.page.waitForURL(/\/checkpoints\//)
    await ada.page.goto(at(`/rooms/${roomId}`))
    t.match(
      await ada.page.locator("#live-where").textContent(),
      /Warm-up lowers the early loss.*Concluded/s,
      "the Room is concluded",
    )
    t.same([...ada.troubles(), ...mary.troubles()], [])
    await ada.context.close()
    await mary.context.close()
  },
)

t.test("the keyboard alone reaches a Thread, writes in it, and steps through it", async (t) => {
  const { page, troubles, context } = await watched(browser, own.baseUrl)
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve())
  const focused = () =>
    page.evaluate("document.activeElement.textContent.trim() || document.activeElement.name") as Promise<string>
  await page.goto(at("/sign-in"))
  await press("Tab")
  t.match(await focused(), "Skip to the content")
  await press("Enter", "Tab")
  t.equal(await focused(), "username", "the skip link skips the header")
  await page.keyboard.type("ada")
  await press("Tab")
  await page.keyboard.type(passwordOf("ada"))
  await press("Enter")
  await page.waitForURL(at("/"))
  await press("j", "Enter")
  await page.waitForURL(/\/rooms\//)
  await press("?")
  t.ok(await page.locator("#key-list").isVisible(), "? lists the keys")
  await press("Escape", "/")
  t.equal(await focused(), "query", "/ searches")
  await page.keyboard.type("landed")
  await press("Enter")
  await page.waitForURL(/\/search/)
  await press("j", "Enter")
  await page.waitForURL(/\/threads\//)
  for (let tabs = 0; tabs < 80 && (await focused()) !== "/text"; tabs += 1) await press("Tab")
  await page.keyboard.type("Written without a mouse.")
  await press("Tab", "Enter")
  await page.waitForURL(/done=post_message/)
  t.match(await page.locator("#timeline .chosen").textContent(), /Written without a mouse/)
  await press("k")
  t.ok(await page.evaluate("document.activeElement.closest('[data-entry]') !== null"), "k steps to an entry")
  t.same(troubles(), [])
  await context.close()
})
