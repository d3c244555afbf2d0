import { defineConfig } from "tsup"

// What `npm start` runs and what the package exports: plain files in dist that need nothing beside
// them but node_modules/better-sqlite3, which brings its addon ready made for every platform.
export default defineConfig({
  entry: {
    main: "src/main.ts",
    client: "src/client/index.ts",
    testing: "src/client/testing.ts",
  },
  format: "esm",
  platform: "node",
  target: "node26",
  splitting: false,
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
})
