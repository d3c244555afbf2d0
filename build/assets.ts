/**
 * Builds dist/assets: the style sheets, scripts, icon and fonts of the pages, each with its digest in its name, and a
 * manifest of these names. The fonts come from npm packages, with Latin letters only, so that pages load nothing from
 * other servers.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { smallerFonts } from "./fonts.ts"
import { pages } from "./programs.ts"

process.chdir(dirname(import.meta.dirname))
mkdirSync("dist", { recursive: true })
const made = `dist/assets-${process.pid}`
rmSync(made, { recursive: true, force: true })

const { metafile } = await build({
  entryPoints: pages,
  outdir: made,
  bundle: true,
  minify: true,
  metafile: true,
  format: "esm",
  // Only the pages that need these load them.
  splitting: true,
  target: ["chrome120", "firefox121", "safari17.4"],
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".woff2": "file" },
  plugins: [smallerFonts],
  // CSS names its fonts relative to itself, so that any base path works.
  publicPath: "",
})

const icon = readFileSync("src/web/style/icon.svg")
const iconName = `icon-${createHash("sha256").update(icon).digest("hex").slice(0, 8)}.svg`
writeFileSync(join(made, iconName), icon)

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
}
const files = Object.fromEntries(
  readdirSync(made).map((name) => [name, types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"]),
)
const entryNamed = (source: string) =>
  basename(Object.keys(metafile.outputs).find((output) => metafile.outputs[output]?.entryPoint === source) ?? "")
const [style, script] = [entryNamed(pages.style), entryNamed(pages.script)]
// The fonts of all pages are preloaded, so that they do not wait for the style sheet.
const first = ["inter", "source-serif-4-latin-wght-normal-400"].map(
  (name) => Object.keys(files).find((file) => file.startsWith(name)) ?? "",
)
writeFileSync(join(made, "manifest.json"), JSON.stringify({ style, script, icon: iconName, fonts: first, files }))

// The manifest is written last, so a service that starts meanwhile finds either all old or all new files.
mkdirSync("dist/assets", { recursive: true })
for (const name of [...Object.keys(files), "manifest.json"]) renameSync(join(made, name), join("dist/assets", name))
for (const name of readdirSync("dist/assets"))
  if (name !== "manifest.json" && !Object.hasOwn(files, name)) rmSync(join("dist/assets", name), { force: true })
rmSync(made, { recursive: true, force: true })
const weight = (name: string) => `${(gzipSync(readFileSync(`dist/assets/${name}`)).length / 1000).toFixed(1)} kB`
console.log(
  `dist/assets: style ${weight(style)}, script ${weight(script)} compressed, ${Object.keys(files).length} files`,
)
