/**
 * Builds the JavaScript in dist: the program for `npm start` and the exports of the package. The program and its
 * threads share chunks of code; rarely used code is in chunks that are loaded when they are first needed. The only
 * package they need at run time is better-sqlite3, which has a compiled addon for every platform.
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
  // Bundled CommonJS packages call `require` for Node's modules, and an ES module does not have it.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
}

/**
 * The options for the program of `npm start`. V8 keeps the source in memory, in half as many bytes if it is all ASCII.
 */
const serving: BuildOptions = {
  ...common,
  entryPoints: programs,
  charset: "ascii",
  minifyWhitespace: true,
  chunkNames: "part-[hash]",
}

/**
 * The options for the client and the test instance. They share one file, so that an error of the test instance's client
 * has the client's class.
 */
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
  for (const name of readdirSync(folder))
    if (name.startsWith(chunk) && !made.has(name)) rmSync(join(folder, name), { force: true })
}

export const buildServing = (folder = "dist"): Promise<void> => into(folder, serving, "part-")
export const buildExported = (folder = "dist"): Promise<void> => into(folder, exported, "client-shared-")

if (import.meta.main) await Promise.all([buildServing(), buildExported()])
