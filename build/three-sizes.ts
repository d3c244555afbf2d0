/**
 * Creates an experiment with seven arms, ten seeds and three sizes, and writes its texts and pictures of its pages, in
 * both themes and at both widths, to dist/three-sizes: `npm run three-sizes`.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { http } from "../test/research/measurements/doors/doors.ts"
import { readingsOf } from "../test/research/measurements/doors/readings.ts"
import { tellThreeSizes } from "../test/research/measurements/doors/three-sizes.ts"
import { openLab } from "../test/support/lab.ts"
import { launch } from "../test/web/browser.ts"

process.chdir(dirname(import.meta.dirname))
const folder = "dist/three-sizes"
mkdirSync(folder, { recursive: true })
const ends: (() => unknown)[] = []
const lab = await openLab({ teardown: (end) => ends.push(end) })
const browser = await launch()
try {
  const told = await tellThreeSizes(lab, http)
  const { baseUrl } = lab.house
  for (const [what, text] of Object.entries(await readingsOf(told, baseUrl)))
    writeFileSync(join(folder, `${what}.txt`), text)
  const { roomId, experimentId, hypothesis, attempts, findings } = told
  const compared = `/attempts/compare?ids=${attempts[0]}`
  const pages = {
    table: `${compared}&by=arm&by=labels&against=arm:baseline`,
    "table-both": `/attempts/compare?ids=${attempts.join(",")}&by=arm&by=labels`,
    plot: `${compared}&by=arm`,
    attempt: `/attempts/${attempts[0]}`,
    experiment: `/experiments/${experimentId}`,
    finding: `/records/${findings[0]}`,
    "finding-again": `/records/${findings[1]}`,
    effects: `/records/${hypothesis}`,
    brief: `/rooms/${roomId}`,
  }
  const widths = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
  for (const [width, viewport] of Object.entries(widths))
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ viewport, colorScheme, baseURL: baseUrl })
      const page = await context.newPage()
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(path, { waitUntil: "load" })
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
      }
      await context.close()
    }
  console.log(`${Object.keys(pages).length} pages, 4 pictures each, and the texts, in ${folder}`)
} finally {
  await browser.close()
  for (const end of ends) await end()
}
