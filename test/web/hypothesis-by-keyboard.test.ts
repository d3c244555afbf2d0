/**
 * The form of a hypothesis, filled and sent without a mouse, and its help: marked words, similar records, missing
 * fields.
 */
import t from "tap"
import { violations } from "./axe.ts"
import { at, browser, demo, filled, isHalf, page, read, troubles, wholeStatement } from "./by-keyboard.ts"
import { Typist } from "./typist.ts"

t.setTimeout(240_000)

/** The fields of the smallest hypothesis that had to be filled in when forms were drawn from schemas alone. */
const HYPOTHESIS_BEFORE = 13

let hypothesis = ""
t.test("a hypothesis needs at most half of the fields that it once had", async (t) => {
  const { id, typist } = await filled("publish_hypothesis", at, async (typist) => {
    await wholeStatement(typist, "A linear warm-up lowers the loss at step 1,000.", "What do you claim?")
    await typist.write("Where does it hold?", "Models of 50 million parameters.")
    await typist.send("Publish the hypothesis")
  })
  t.ok(typist.fields * 2 <= HYPOTHESIS_BEFORE, `${typist.fields} of ${HYPOTHESIS_BEFORE}`)
  hypothesis = id
  const { content } = await read(`/records/${id}`)
  isHalf(t, "publish_hypothesis", typist.fields, content)
  t.match(content, {
    kind: "hypothesis",
    scope: "Models of 50 million parameters.",
    concepts: { lowers: { label: "lowers", definition: "Makes smaller." } },
    assertion: {
      predicate: { type: "concept", key: "lowers" },
      roles: [
        { role: "cause", definition: "What is changed.", value: { type: "text", value: "linear warm-up" } },
        { role: "effect", definition: "What is measured.", value: { type: "text", value: "loss" } },
        { role: "condition", definition: "What must hold for it.", value: { type: "text", value: "at step 1,000" } },
      ],
    },
  })
})

t.test(
  "words are marked in the sentence, a word is reused, a role fills in its meaning, a premise is picked by its label",
  async (t) => {
    const { id } = await filled("publish_hypothesis", at, async (typist) => {
      await typist.write("What do you claim?", "Longer ramp")
      await page.locator("[data-structure] > summary").click()
      await page.getByLabel("What do you claim?").focus()
      // Selects the first two words, from the start of the sentence.
      await typist.press("Control+Home")
      for (let count = 0; count < "Longer ramp".length; count += 1) await typist.press("Shift+ArrowRight")
      await typist.send("in a role")
      t.equal(await page.inputValue("[name='/assertion/roles/0/value']"), "Longer ramp")
      t.equal(
        await page.evaluate("document.activeElement.name"),
        "/assertion/roles/0/role",
        "and the role is asked for next",
      )
      await page.keyboard.press("Shift+Tab")
      await typist.write("Role 2: Its content", "variance")
      await typist.send("Add a role")
      await page.waitForSelector("[name='/assertion/roles/2/role']")
      await page.locator("[name='/assertion/roles/2/role']:focus").waitFor()
      await typist.write("Role 3: Role", "comparison")
      await typist.write("Role 3: Its content", "no ramp")
      t.equal(await page.inputValue("[name='/assertion/roles/2/definition']"), "What it is compared with.")
      // Adding a role rendered the form again; the buttons still follow what is selected.
      await page.getByLabel("What do you claim?").selectText()
      await page.getByRole("button", { name: "a word to explain", disabled: false }).waitFor()
      await typist.press("End")
      await page.getByRole("button", { name: "a word to explain", disabled: true }).waitFor()
      await page.getByLabel("What do you claim?").fill("Longer ramp lowers variance.")
      await page.getByLabel("Where does it hold?").fill("Anywhere.")
      await typist.unfold("Premises it rests on")
      await typist.write("Record it rests on", "H1")
      await typist.write("Why it is needed", "The ramp must work at all.")
      // Goes back to the word that says what happens.
      await page.locator("[name='/concepts/0/label']").focus()
      await page.keyboard.type("lowers, as H1 defines it")
      await typist.send("Publish the hypothesis")
    })
    const { content } = await read(`/records/${id}`)
    t.same(content.assertion.predicate, { type: "concept_ref", versionId: hypothesis, key: "lowers" })
    t.same(content.concepts, {})
    t.same(content.premises, [{ versionId: hypothesis, explanation: "The ramp must work at all." }])
    t.equal(content.assertion.roles[2].definition, "What it is compared with.")
  },
)

t.test("similar records show while it is written, with and without a script", async (t) => {
  await page.goto(`${demo.baseUrl}/do/publish_hypothesis?${at}`)
  await page.keyboard.type("A linear warm-up lowers the loss at step 900.")
  await page.locator("#near .cards li").first().waitFor()
  t.match(await page.textContent("#near"), /H1.*A linear warm-up lowers the loss at step 1,000/s)
  t.same(await violations(page), [])
  const plain = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  })
  const still = await plain.newPage()
  await still.goto(`${demo.baseUrl}/do/publish_hypothesis?${at}`)
  await still.getByLabel("What do you claim?").fill("A linear warm-up lowers the loss at step 900.")
  await still.getByRole("button", { name: "Was it tried before?" }).click()
  t.match(await still.textContent("#near"), /H1/)
  t.equal(await still.getByLabel("What do you claim?").inputValue(), "A linear warm-up lowers the loss at step 900.")
  t.match(
    await still.textContent("[data-structure] > summary"),
    /lowers.*cause: linear warm-up.*effect: loss/s,
    "the sentence's words are proposed",
  )
  await still.locator("[data-structure] > summary").click()
  await still.getByRole("button", { name: "Add a word" }).click()
  await still.locator("[data-row='/concepts']").nth(1).waitFor({ state: "attached" })
  t.equal(await still.locator("[data-row='/concepts']").count(), 2, "rows are added without a script too")
  await plain.close()
})

t.test(
  "a refusal speaks of the research, beside each field; the first has the focus, and the draft survives a reload",
  async (t) => {
    await page.goto(`${demo.baseUrl}/do/publish_hypothesis?${at}`)
    await page.evaluate("localStorage.clear()")
    await page.goto(`${demo.baseUrl}/do/publish_hypothesis?${at}`)
    const typist = new Typist(page)
    await typist.write("What do you claim?", "Ramps?")
    await page.locator("[data-structure] > summary").click()
    await typist.write("Role 1: Its content", "a ramp")
    await typist.send("Add a role")
    await page.locator("[name='/assertion/roles/2/role']:focus").waitFor()
    await typist.write("Role 3: Role", "dose")
    await typist.write("Role 3: Its content", "400 steps")
    await page.reload()
    await page.waitForSelector(".saved-draft")
    t.equal(
      await page.inputValue("[name='/assertion/roles/2/role']"),
      "dose",
      "an added row comes back with its contents",
    )
    await typist.unfold("Premises it rests on")
    await typist.write("Record it rests on", "something about ramps")
    await page.keyboard.press("Enter")
    await page.waitForSelector("#refused")
    const told = await page.locator(".field.wrong .fault").allTextContents()
    t.same(told.slice(0, 4), [
      "Say where it should hold.",
      "Say which words of the sentence say what happens.",
      "Role 2 is still empty.",
      "Role 3 has no meaning yet.",
    ])
    t.match(told[4], /“something about ramps” is not a record of this Room/)
    t.equal(await page.evaluate("document.activeElement.name"), "/scope")
    t.notMatch(
      await page.textContent("#refused"),
      /predicate|versionId|definition|assertion/,
      "no name of the interface",
    )
    t.same(await violations(page), [])
  },
)

t.test("no page had an error", async (t) => t.same(troubles(), []))
