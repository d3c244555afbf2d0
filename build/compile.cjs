/**
 * Writes V8's code cache of a program next to it: `node --random-seed=1 build/compile.cjs FILE [RUN]`. With RUN, a
 * `Run` of build/bundle.ts as JSON, it first runs the program until it is ready, so that the cache has all functions of
 * a start; otherwise it has only top-level code. The seed makes the cache reproducible, as long as no garbage is
 * collected (`--min-semi-space-size`), since V8 stores the age of functions.
 */
const { readFileSync, writeFileSync } = require("node:fs")
const { basename } = require("node:path")
const { setFlagsFromString } = require("node:v8")
const { constants, Script } = require("node:vm")

// Optimized code is not part of the cache, but influences it and depends on the load of the machine.
const tiers = ["sparkplug", "maglev", "opt"]
for (const tier of tiers) setFlagsFromString(`--no-${tier}`)

const [, , file, told] = process.argv
const script = new Script(readFileSync(file, "latin1"), {
  // A new string: a slice would bring the whole path on this machine into the cache.
  filename: Buffer.from(basename(file)).toString(),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})

function finish() {
  // V8 accepts a cache only with the flags it was made with.
  for (const tier of tiers) setFlagsFromString(`--${tier}`)
  writeFileSync(file.replace(/\.cjs$/, ".cache"), script.createCachedData())
  process.exit()
}

if (told === undefined) finish()

const { args, workerData, contents } = JSON.parse(told)
const bytesOf = (name) => {
  const { buffer, byteOffset, byteLength } = readFileSync(contents[name])
  return buffer.slice(byteOffset, byteOffset + byteLength)
}
const threads = require("node:worker_threads")
threads.setEnvironmentData("research-room-addon", contents["better-sqlite3.node"])
/**
 * Stand-ins for modules: the contents of the executable, and threads that do not start, because their messages would
 * arrive at any time.
 */
const instead = {
  "node:sea": {
    isSea: () => true,
    getRawAsset: bytesOf,
    getAsset: (name) => Buffer.from(bytesOf(name)).toString(),
    getAssetKeys: () => Object.keys(contents),
  },
  "node:worker_threads": {
    ...threads,
    isMainThread: workerData === null,
    workerData,
    parentPort: { on() {}, postMessage() {} },
    Worker: class extends require("node:events") {
      unref() {}
      postMessage() {}
    },
  },
}
// A command prints to standard output when it is ready; a thread is ready when it waits for messages.
console.log = finish
process.argv.splice(1, Number.POSITIVE_INFINITY, process.execPath, ...args)
const program = { exports: {} }
script.runInThisContext()(program.exports, (name) => instead[name] ?? require(name), program, process.execPath, "")
if (workerData !== null) finish()
