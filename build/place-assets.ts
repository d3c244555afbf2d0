/**
 * Adds the icon and a manifest to the bundled style sheets, scripts and fonts of the pages, and moves them all into
 * dist/assets. The fonts come from npm packages, with Latin letters only, so that pages load nothing from other
 * servers.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Options } from "tsup"

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
}

/** A plugin for the bundles of `pages` in tsup.config.ts. */
export const placeAssets = (): NonNullable<Options["plugins"]>[number] => ({
  name: "place-assets",
  buildEnd() {
    const made = this.options.outDir
    const icon = readFileSync("src/web/style/icon.svg")
    const iconName = `icon-${createHash("sha256").update(icon).digest("hex").slice(0, 8)}.svg`
    writeFileSync(join(made, iconName), icon)

    const names = readdirSync(made)
    const files = Object.fromEntries(
      names.map((name) => [name, types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"]),
    )
    const named = (start: string, end = "") =>
      names.find((name) => name.startsWith(`${start}-`) && name.endsWith(end)) ?? ""
    const [style, script] = [named("style", ".css"), named("script", ".js")]
    // The fonts of all pages are preloaded, so that they do not wait for the style sheet.
    const fonts = [named("inter"), named("source-serif-4-400")]
    writeFileSync(join(made, "manifest.json"), JSON.stringify({ style, script, icon: iconName, fonts, files }))

    // The manifest is written last, so a service that starts meanwhile finds either all old or all new files.
    mkdirSync("dist/assets", { recursive: true })
    for (const name of [...names, "manifest.json"]) renameSync(join(made, name), join("dist/assets", name))
    for (const name of readdirSync("dist/assets"))
      if (name !== "manifest.json" && !names.includes(name)) rmSync(join("dist/assets", name), { force: true })
    rmSync(made, { recursive: true, force: true })
    const weight = (name: string) => (gzipSync(readFileSync(join("dist/assets", name))).length / 1000).toFixed(1)
    console.log(`dist/assets: style ${weight(style)} kB, script ${weight(script)} kB compressed, ${names.length} files`)
  },
})
