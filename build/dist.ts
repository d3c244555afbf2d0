/**
 * Makes the JavaScript in dist: what `npm start` runs, and what the package exports. The program and its threads share their code
 * in chunks: what is rarely used stands in a chunk of its own, which is loaded when it is first needed. Beside them they need
 * nothing but node_modules/better-sqlite3, which brings its addon ready made for every platform.
 */
import { readdirSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { type BuildOptions, build } from "esbuild"
import { programs } from "./programs.ts"

const common: BuildOptions = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node26",
  splitting: true,
  external: ["better-sqlite3"],
  metafile: true,
  logLevel: "warning",
  // Bundled CommonJS packages call `require` for Node's own modules; an ES module has none.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
}

/** What `npm start` runs. V8 keeps the text of a program in memory: of one that is all ASCII, half as many bytes. */
const serving: BuildOptions = { ...common, entryPoints: programs, charset: "ascii", minifyWhitespace: true, chunkNames: "part-[hash]" }

/** The client and the test instance. They share one file, so an error that the test instance's client throws is one of the client's. */
const exported: BuildOptions = {
  ...common,
  entryPoints: { client: "src/client/index.ts", testing: "src/client/testing.ts" },
  sourcemap: true,
  chunkNames: "client-shared-[hash]",
}

/** Builds into a folder and removes the chunks of earlier builds. */
async function into(folder: string, options: BuildOptions, chunk: string): Promise<void> {
  const { metafile } = await build({ ...options, outdir: folder })
  const made = new Set(Object.keys(metafile?.outputs ?? {}).map((file) => basename(file)))
  for (const name of readdirSync(folder)) if (name.startsWith(chunk) && !made.has(name)) rmSync(join(folder, name), { force: true })
}

export const buildServing = (folder = "dist"): Promise<void> => into(folder, serving, "part-")
export const buildExported = (folder = "dist"): Promise<void> => into(folder, exported, "client-shared-")

if (import.meta.main) await Promise.all([buildServing(), buildExported()])
