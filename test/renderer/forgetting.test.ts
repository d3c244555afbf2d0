/** What a renderer keeps if something is withheld while texts of a page are being rendered. */
import { test } from "tap"
import { Renderer } from "../../src/renderer/renderer.ts"

test("a text being rendered during a withholding is returned to its caller, but not cached", async (t) => {
  let asked = 0
  let set = () => {}
  const engine = {
    render: (texts: readonly { readonly text: string }[]) =>
      new Promise<string[]>((resolve) => {
        asked += 1
        set = () => resolve(texts.map(({ text }) => `<p>${text}</p>`))
      }),
  }
  const renderer = new Renderer(engine)
  const text = { text: "A token.", kind: "block" } as const
  const page = async () => {
    const made = renderer.markupOf([text])
    set()
    return (await made).get(text)
  }
  const waits = renderer.markupOf([text])
  renderer.forget()
  set()
  t.equal((await waits).get(text), "<p>A token.</p>")
  t.equal(renderer.keptBytes, 0)
  t.equal(await page(), "<p>A token.</p>")
  t.equal(asked, 2, "later callers have it rendered again")
  t.equal(await page(), "<p>A token.</p>")
  t.equal(asked, 2, "which is cached")
  t.not(renderer.keptBytes, 0)
})
