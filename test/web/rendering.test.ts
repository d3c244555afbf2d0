/**
 * The cost of rendering a text: the costliest known Markdown and TeX, each bounded in time and size, and none of it
 * lost.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { OnThisThread, Renderer } from "../../src/renderer/renderer.ts"
import { rendered } from "../../src/renderer/markdown.ts"
import { formula } from "../../src/renderer/math.ts"
import { definitions, formulas, texts } from "../reliability/hostile/texts.ts"

const isSource = (markup: string) => markup.includes("math-source") && !markup.includes("<math")

t.test("a formula with a definition is shown as its source, with a short reason", async (t) => {
  for (const { name, text } of definitions) {
    const made = formula(text, true)
    t.ok(isSource(made), name)
    t.match(made, /title="shown as written: formulas cannot define commands/, name)
  }
})

t.test("no command known to Temml defines another command", async (t) => {
  const temml = readFileSync(createRequire(import.meta.url).resolve("temml"), "utf8")
  const commands = new Set([...temml.matchAll(/"\\\\+([a-zA-Z@]+)"/g)].map(([, name]) => `\\${name}`))
  t.ok(
    commands.size > 800 && commands.has("\\gdef") && commands.has("\\newcommand"),
    `${commands.size} commands are known`,
  )
  // This can only be rendered if \zq was defined.
  const uses = (command: string) => [
    `${command}\\zq{yy}\\zq`,
    `${command}{\\zq}{yy}\\zq`,
    `${command}{\\zq}yy\\zq`,
    `${command}\\zq=y\\zq`,
    `${command}\\zq y z\\zq`,
    `${command}\\def\\zq{y}\\zq`,
  ]
  // The character after \verb ends the text that it shows verbatim.
  commands.delete("\\verb")
  const found = [...commands].filter((command) => uses(command).some((tex) => formula(tex, true).includes("<math")))
  t.same(found, [])
})

t.test("every formula is bounded in size and depth, and so are all formulas of one text together", async (t) => {
  for (const { name, text } of [...formulas(limits.formula), ...formulas(limits.formula + 1)]) {
    const made = formula(text, true)
    t.ok(Buffer.byteLength(made) <= limits.formulaBytes + 200, `${name}: ${made.length}`)
  }
  t.match(formula("{".repeat(100) + "x".repeat(2_000) + "}".repeat(100), false), /too long for a formula/)
  t.match(formula(`${"x^{".repeat(400)}y${"}".repeat(400)}`, false), /it would be too large/)
  t.match(formula("\\LaTeX".repeat(300), false), /too many commands in one formula/)
  t.match(formula("\\frac{a}{b} + \\sum_{i=1}^{n} \\sqrt{x_i^2}", true), /<mfrac>/, "and an ordinary one is rendered")
  const many = rendered("$x$ ".repeat(limits.textFormulas + 100), "block")
  t.equal(many.match(/<math[ >]/g)?.length, limits.textFormulas)
  t.equal(many.match(/source-note/g)?.length, 1, "the reason is given once")
})

t.test("every text is bounded in size, and what is not rendered is shown as it was written", async (t) => {
  const slow: [string, number][] = []
  for (const { name, text } of texts()) {
    for (const kind of ["block", "inline"] as const) {
      let best = Number.POSITIVE_INFINITY
      let made = ""
      // The machine may have been busy the first time.
      for (let tries = 0; tries < 4 && best > 50; tries += 1) {
        const start = process.cpuUsage()
        made = rendered(text, kind)
        const { user, system } = process.cpuUsage(start)
        best = Math.min(best, (user + system) / 1_000)
      }
      slow.push([`${name}, ${kind}`, best])
      t.ok(Buffer.byteLength(made) <= limits.renderedTextBytes, `${name}, ${kind}: ${made.length}`)
    }
  }
  slow.sort(([, a], [, b]) => b - a)
  t.comment(slow.slice(0, 5))
  t.ok((slow[0]?.[1] ?? 0) <= 100, `the slowest takes ${slow[0]?.[1]} ms: ${slow[0]?.[0]}`)
  t.match(rendered(`${"> ".repeat(30)}deep`, "block"), /deep/, "nor is deeply nested text left out")
  t.match(rendered("| a | b |\n|---|---|\n| 1 | 2 |", "block"), /<td>1<\/td>/, "and an ordinary table is rendered")
})

t.test("a text is rendered once and cached; a page takes no more than fits", async (t) => {
  let asked = 0
  const engine = new OnThisThread()
  const counting = {
    render: (given: Parameters<typeof engine.render>[0]) => ((asked += given.length), engine.render(given)),
  }
  const renderer = new Renderer(counting)
  const text = { text: "*once*", kind: "block" as const }
  const [first, again] = await Promise.all([renderer.markupOf([text]), renderer.markupOf([{ ...text }])])
  await renderer.markupOf([{ ...text }])
  t.match([...first.values(), ...again.values()], ["<p><em>once</em></p>\n", "<p><em>once</em></p>\n"])
  t.equal(asked, 1)
  const heavy = Array.from({ length: 100 }, (_, index) => ({
    text: `${index} ${'"'.repeat(19_000)}`,
    kind: "block" as const,
  }))
  const page = [...(await renderer.markupOf(heavy)).values()].join("")
  t.ok(Buffer.byteLength(page) < limits.pageTextBytes + limits.renderedTextBytes + 200_000, `${page.length}`)
  t.match(page, /this page is full/)
  t.ok(renderer.keptBytes <= limits.keptTextBytes)
  const small = new Renderer(new OnThisThread(), 10_000)
  await small.markupOf(heavy.slice(0, 3))
  t.ok(small.keptBytes <= 10_000, "the cache is bounded")
})

t.test("if rendering fails, a text is shown as it was written", async (t) => {
  const renderer = new Renderer({ render: () => Promise.reject(new Error("no")) })
  t.match([...(await renderer.markupOf([{ text: "<a> ", kind: "block" }])).values()], [/&lt;a&gt; .*took too long/s])
})
