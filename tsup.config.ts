import { defineConfig, type Options } from "tsup"
import { programs } from "./build/programs.ts"

// What `npm start` runs and what the package exports: plain files in dist that need nothing beside
// them but node_modules/better-sqlite3, which brings its addon ready made for every platform.
const common: Options = {
  format: "esm",
  platform: "node",
  target: "node26",
  sourcemap: true,
  // Everything goes in except better-sqlite3.
  noExternal: [/^(?!better-sqlite3$)/],
  external: ["better-sqlite3"],
  // Some of Node's modules, such as node:sea, have no name without the prefix.
  removeNodeProtocol: false,
  // Bundled CommonJS packages call `require` for Node's own modules; an ES module has none.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
}

export default defineConfig([
  {
    ...common,
    entry: programs,
    splitting: false,
  },

  {
    ...common,
    entry: { client: "src/client/index.ts", testing: "src/client/testing.ts" },
    // The client stands in one file that both share: an error that the test instance's client throws is one of the client's.
    splitting: true,
    esbuildOptions(options) {
      options.chunkNames = "client-shared-[hash]"
    },
  },
])
