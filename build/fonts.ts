/**
 * Reduces each font face in the style sheet to the weights and characters that the style sheet names for it. The
 * results are cached by their inputs.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { createRequire } from "node:module"
import subsetFont from "subset-font"
import type { Options } from "tsup"

const KEPT = "node_modules/.cache/research-room/fonts"
const require = createRequire(import.meta.url)

/**
 * The font features that the pages use; hundreds of alternates and code ligatures are dropped. Fonts for formulas keep
 * all features.
 */
const FEATURES = ["kern", "liga", "mark", "mkmk", "ccmp", "locl", "tnum"]

/** Returns the value of a property of a face. */
const propertyOf = (face: string, name: string): string | undefined =>
  new RegExp(`${name}:\\s*([^;]+);`).exec(face)?.[1]

/** Returns the characters in a `unicode-range`. */
function signsOf(range: string): string {
  return range
    .split(",")
    .flatMap((part) => {
      const [first = 0, last = first] = part
        .trim()
        .replace(/^U\+/i, "")
        .split("-")
        .map((code) => Number.parseInt(code, 16))
      return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index))
    })
    .join("")
}

/** Returns the weights of a variable font: one, or a range. */
function axesOf(file: string, weight: string): { variationAxes?: { wght: number | { min: number; max: number } } } {
  if (!file.includes("-wght-")) return {}
  const [min = 400, max] = weight.split(" ").map(Number)
  return { variationAxes: { wght: max === undefined ? min : { min, max } } }
}

/** @returns the path of the font of one face */
async function made(face: string, file: string): Promise<string> {
  const [range = "", weight = "400"] = [propertyOf(face, "unicode-range"), propertyOf(face, "font-weight")]
  const font = readFileSync(file)
  const { version } = require("subset-font/package.json") as { version: string }
  const kept = {
    targetFormat: "woff2",
    noHinting: true,
    ...axesOf(file, weight),
    ...(file.includes("math") ? {} : { keepFeatures: FEATURES }),
  } as const
  const digest = createHash("sha256")
    .update(font)
    .update(`${version} ${range} ${JSON.stringify(kept)}`)
    .digest("hex")
    .slice(0, 16)
  // Every page names two of them, so the names are short.
  const name = basename(file, ".woff2").replace(/-latin(-wght)?(-normal)?/, "")
  const path = join(KEPT, digest, `${name}-${weight.replace(" ", "-")}.woff2`)
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, await subsetFont(font, signsOf(range), kept))
  }
  return path
}

/**
 * A plugin for esbuild that replaces the fonts in a style sheet of faces with the reduced ones. The style sheet gets a
 * namespace, because tsup reads every file that ends with `.css` itself.
 */
export const smallerFonts: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "smaller-fonts",
  setup(build) {
    build.onResolve({ filter: /fonts\.css$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path).replace(/\.css$/, ""),
      namespace: "faces",
    }))
    build.onLoad({ filter: /./, namespace: "faces" }, async ({ path }) => {
      let css = readFileSync(`${path}.css`, "utf8")
      for (const [face] of css.matchAll(/@font-face \{.*?\}/gs)) {
        const [, named = ""] = /url\("([^"]+)"\)/.exec(face) ?? []
        const font = await made(face, require.resolve(named))
        css = css.replace(face, face.replace(named, join(process.cwd(), font)))
      }
      return { contents: css, loader: "css", resolveDir: dirname(path) }
    })
  },
}
