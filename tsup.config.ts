/**
 * What is bundled, and how. `npm start` builds `service` and `pages`, `npm run build` all of this, and the executable
 * `carried` for itself. `tsup` on the command line builds what this file exports by default.
 */
import { defineConfig, type Options } from "tsup"
import { readdirSync, rmSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { smallerFonts } from "./build/fonts.ts"
import { placeAssets } from "./build/place-assets.ts"

/** The program and its threads. */
export const programs = {
  main: "src/main.ts",
  jobs: "src/app/jobs/jobs-thread.ts",
  reader: "src/app/threads/reader-thread.ts",
}

/** The only package that is needed at run time: it has a compiled addon for every platform. */
const ADDON = "better-sqlite3"

/** Removes the chunks of earlier builds, whose names begin with `prefix`. */
const withoutStaleChunks = (prefix: string): NonNullable<Options["plugins"]>[number] => ({
  name: "without-stale-chunks",
  buildEnd({ writtenFiles }) {
    const { outDir } = this.options
    const written = new Set(writtenFiles.map(({ name }) => basename(name)))
    for (const name of readdirSync(outDir))
      if (name.startsWith(prefix) && !written.has(name)) rmSync(join(outDir, name), { force: true })
  },
})

const common: Options = {
  target: "node26",
  removeNodeProtocol: false,
  silent: true,
}

/** Modules that share chunks of code; rarely used code is in chunks that are loaded when they are first needed. */
const modules: Options = {
  ...common,
  format: "esm",
  splitting: true,
  noExternal: [new RegExp(`^(?!${ADDON}$)`)],
  // Bundled CommonJS packages call `require` for Node's modules, and an ES module does not have it.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
}

/** V8 keeps the source in memory, in half as many bytes if it is all ASCII. */
const compact = (entry: Readonly<Record<string, string>>, prefix: string): Options => ({
  ...modules,
  entry,
  minifyWhitespace: true,
  esbuildOptions: (options) => void Object.assign(options, { charset: "ascii", chunkNames: `${prefix}[hash]` }),
  plugins: [withoutStaleChunks(prefix)],
})

const { reader: readerThread, ...others } = programs

/** The program for `npm start`. */
export const service = compact(others, "part-")

/** A reader thread starts while somebody waits. Chunks that it shared with the program, 69, took 24 of 180 ms more. */
export const reader = compact({ reader: readerThread }, "reader-part-")

/**
 * The client and the test instance that the package exports. They share a file, so that an error of the test instance's
 * client has the client's class.
 */
export const exported: Options = {
  ...modules,
  entry: { client: "src/client/index.ts", testing: "src/client/testing.ts" },
  sourcemap: true,
  esbuildOptions: (options) => void Object.assign(options, { chunkNames: "client-shared-[hash]" }),
  plugins: [withoutStaleChunks("client-shared-")],
}

/** The name of the main program in the executable. */
export const carriedMain = "research-room"

const { main, ...threads } = programs

/**
 * The program in the executable, each thread in one file of CommonJS, because only that works with V8's code cache,
 * which makes the start faster. The code is the same for all platforms; only the addon differs.
 */
export const carried: Options = {
  ...common,
  entry: { [carriedMain]: main, ...threads, allocator: "src/allocator.ts" },
  format: "cjs",
  splitting: false,
  noExternal: [/./],
  minifyWhitespace: true,
  // CommonJS has another name for the current file.
  define: { "import.meta.url": "__fileUrl" },
  banner: { js: 'const __fileUrl = require("node:url").pathToFileURL(__filename).href;' },
  esbuildOptions: (options) =>
    void Object.assign(options, { charset: "ascii", legalComments: "none", lineLimit: 120 }),
  esbuildPlugins: [
    {
      name: "addon-from-inside",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
          importer.includes(ADDON) ? { path: resolve("build/addon.ts") } : null,
        ),
    },
  ],
}

/** The style sheet and script that every page loads, under names that contain their digests. */
export const pages: Options = {
  entry: { style: "src/web/style/main.css", script: "src/web/client/main.ts" },
  outDir: `dist/assets-${process.pid}`,
  format: "esm",
  platform: "browser",
  // Only the pages that need these load them.
  splitting: true,
  minify: true,
  target: ["chrome120", "firefox121", "safari17.4"],
  noExternal: [/./],
  silent: true,
  esbuildOptions: (options) =>
    void Object.assign(options, {
      entryNames: "[name]-[hash]",
      chunkNames: "[name]-[hash]",
      assetNames: "[name]-[hash]",
      // CSS names its fonts relative to itself, so that any base path works.
      publicPath: "",
    }),
  esbuildPlugins: [smallerFonts],
  plugins: [placeAssets()],
}

export default defineConfig([service, reader, exported, pages])
