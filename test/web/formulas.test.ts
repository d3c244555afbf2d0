/**
 * Formulas as their authors mean them: what a real browser draws, with which font, and the same signs in plain text.
 */
import { randomUUID } from "node:crypto"
import t from "tap"
import { formula, plainFormula } from "../../src/renderer/math.ts"
import { loadFormulas, plainText } from "../../src/web/markdown.ts"
import { demoInBrowser } from "./scene.ts"

t.setTimeout(120_000)

/** The alphabets of mathematics, each with its sign for A. A browser slants a single letter by itself. */
const ALPHABETS = {
  mathbb: "𝔸",
  mathcal: "𝒜",
  mathscr: "𝒜",
  mathbf: "𝐀",
  boldsymbol: "𝑨",
  bm: "𝑨",
  mathfrak: "𝔄",
  mathsf: "𝖠",
  mathtt: "𝙰",
  mathit: "A",
  mathrm: "A",
}
const BROKEN = "a + \\frac{b"

/** The hundred commands that papers use most, in formulas as papers write them. */
const USED = String.raw`
\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \vartheta \kappa \lambda \mu \nu \xi \pi \rho \sigma
\tau \phi \varphi \chi \psi \omega \Gamma \Delta \Theta \Lambda \Sigma \Phi \Psi \Omega \nabla \partial \infty \ell
\hbar \emptyset \forall \exists \neg \cdot \times \div \pm \mp \ast \circ \oplus \otimes \odot \leq \geq \neq \approx
\sim \simeq \equiv \propto \ll \gg \in \notin \subset \subseteq \cup \cap \setminus \to \rightarrow \leftarrow
\Rightarrow \Leftrightarrow \mapsto \ldots \cdots \top \perp \mid \parallel \log \exp \min \max \sup \inf \lim \det
\Pr \argmax \argmin \int \sum \prod \langle \rangle \lfloor \rfloor \lceil \rceil \quad \dagger \star \prime \angle
\wedge \vee`
  .trim()
  .split(/\s+/)
const BUILT = [
  "\\frac{a}{b}",
  "\\tfrac12",
  "\\binom{n}{k}",
  "\\sqrt{x}",
  "\\hat{x}",
  "\\bar{x}",
  "\\tilde{x}",
  "\\vec{x}",
  "\\dot{x}",
  "\\widehat{xy}",
  "\\overline{xy}",
  "\\underbrace{a+b}_{c}",
  "\\left(\\frac{a}{b}\\right)",
  "\\lVert x\\rVert_2^2",
  "\\operatorname{KL}(p\\,\\|\\,q)",
  "\\text{if } x > 0",
  "\\begin{pmatrix}a & b\\\\c & d\\end{pmatrix}",
  "\\begin{cases}1 & x > 0\\\\0 & x \\le 0\\end{cases}",
  "\\begin{aligned}a &= b\\\\c &= d\\end{aligned}",
  "\\xrightarrow{d}",
  "\\stackrel{?}{=}",
  "\\underset{x}{\\arg\\max}",
  "\\cancel{x}",
]

t.test("the commands of papers are drawn, none of them as its source", async (t) => {
  t.ok(USED.length >= 100, `${USED.length} commands`)
  for (const tex of [...USED, ...BUILT]) t.match(formula(tex, true), /<math/, tex)
  for (const [command, sign] of Object.entries(ALPHABETS)) t.match(formula(`\\${command}{A}`, false), sign, command)
  t.match(formula("\\mathbf{x} \\neq x", false), /<mi>𝐱<\/mi>.*<mi>x<\/mi>/, "a vector is not a scalar")
  t.match(formula("\\boldsymbol{\\theta}", false), "𝜽")
})

t.test("plain text has the same signs", async (t) => {
  const cases = [
    ["\\mathbb{E}[r_t]", "𝔼[r_t]"],
    ["\\mathcal{L}(\\theta) = \\frac{1}{n}\\sum_{i=1}^n x_i^2", "ℒ(θ)=1/n∑_i=1^nx_i^2"],
    ["\\mathbf{x}^\\top \\mathfrak{g}", "𝐱^⊤𝔤"],
    ["\\sqrt{2}", "√2"],
    ["\\LaTeX", "LaTeX"],
    ["\\operatorname{KL}(p)", "KL(p)"],
    ["\\frac{a", "\\frac{a"],
  ]
  for (const [tex = "", plain] of cases) t.equal(plainFormula(tex), plain, tex)
  await loadFormulas()
  t.equal(plainText("The **mean** $\\mathbb{E}[r]$ rises."), "The mean 𝔼[r] rises.")
})

t.test("a formula that is not valid is shown as written, with what is wrong and where", async (t) => {
  t.match(formula("a + \\foo b", false), /title="shown as written: not valid TeX, at character 5: [^"]*\\foo"/)
  t.match(formula("\\frac{a", false), /not valid TeX, at its end: /)
  t.match(formula("x_1_2", false), /not valid TeX, at character 4: Double subscript/)
  t.notMatch(formula("\\text{<b>\\foo}", false), /<b>/, "and nothing of it becomes markup")
})

t.test("a browser draws every alphabet with the font for formulas, and no two alike", async (t) => {
  const { demo, browser, at } = await demoInBrowser()
  const { token } = demo.credentials.owner_all
  const { openingThreadId: threadId } = demo.rooms.empty
  const alphabets = Object.keys(ALPHABETS).map((command) => `\\${command}{R}`)
  const formulas = [...alphabets, "\\mathbf{\\Omega}", ...USED]
  const sent = await fetch(`${demo.baseUrl}/api/agent/threads/${threadId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      schemaVersion: 3,
      clientMessageId: randomUUID(),
      text: [...formulas, BROKEN].map((tex) => `$${tex}$`).join("\n\n"),
    }),
  })
  t.equal(sent.status, 200)
  const page = await browser.newPage()
  await page.goto(at(`/threads/${threadId}`))
  await page.evaluate("document.fonts.ready")
  const session = await page.context().newCDPSession(page)
  await session.send("DOM.enable")
  await session.send("CSS.enable")
  const { root } = await session.send("DOM.getDocument", { depth: 1 })
  const { nodeIds } = await session.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector: ".prose math" })
  t.equal(nodeIds.length, formulas.length)
  for (const [index, nodeId] of nodeIds.entries()) {
    const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId })
    const names = fonts.filter(({ glyphCount }) => glyphCount > 0).map((font) => font.familyName)
    t.same(
      [...new Set(names)].filter((name) => !name.startsWith("Noto Sans Math")),
      [],
      formulas[index] ?? "",
    )
  }
  const note = page.locator(".prose .source-note")
  t.ok(await note.isVisible(), "a broken formula says so on the page, not only in a title")
  t.match(await note.innerText(), /shown as written: not valid TeX, at its end: /)
  const pictureOf = async (index: number) =>
    (await page.locator(".prose math").nth(index).screenshot()).toString("base64")
  const drawn: string[] = []
  // A space has no height, so there is nothing to take a picture of.
  for (const [index, tex] of formulas.entries()) drawn.push(tex === "\\quad" ? "" : await pictureOf(index))
  // A sign of the private area, which no font has: what is drawn for it is what a missing sign looks like.
  await page.evaluate("document.querySelector('.prose math mi').textContent = String.fromCodePoint(0xe123)")
  const missing = await pictureOf(0)
  t.not(missing, drawn[0])
  for (const [index, tex] of formulas.entries()) t.not(drawn[index], missing, `${tex} has a glyph`)
  const pictures = new Map<string, string>()
  for (const [index, command] of Object.keys(ALPHABETS).entries()) {
    const picture = drawn[index] ?? ""
    const alike = pictures.get(picture)
    // The first two pairs name one alphabet each. The upright letters of the font have no serifs either.
    const isSame = ["boldsymbol bm", "mathcal mathscr", "mathsf mathrm"].includes(`${alike} ${command}`)
    t.ok(alike === undefined || isSame, `${command} is not ${alike}`)
    pictures.set(picture, command)
  }
})
