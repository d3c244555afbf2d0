/**
 * Writes V8's code cache of a program beside it: `node --random-seed=1 build/compile.cjs FILE`. The seed makes it the same each
 * time. The program is not run for it: what a run compiles beyond this depends on how busy the machine is.
 */
const { readFileSync, writeFileSync } = require("node:fs")
const { basename } = require("node:path")
const { constants, Script } = require("node:vm")

const file = process.argv[2]
const script = new Script(readFileSync(file, "latin1"), {
  // A string of its own: as a slice of the path it would take the whole path, which is of this machine, into the cache.
  filename: Buffer.from(basename(file)).toString(),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
writeFileSync(file.replace(/\.cjs$/, ".cache"), script.createCachedData())
