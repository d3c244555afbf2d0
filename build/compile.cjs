/**
 * Writes V8's code cache of a program of the executable beside it: `node --random-seed=1 build/compile.cjs FILE [RUN]`. With RUN,
 * a `Run` of build/bundle.ts as JSON, the program is run first until it is ready, so that what a start needs is compiled too;
 * else what stands at the top of it alone is. The seed makes it the same each time, as long as nothing is collected meanwhile
 * (`--min-semi-space-size`): V8 writes down how old its functions are.
 */
const { readFileSync, writeFileSync } = require("node:fs")
const { basename } = require("node:path")
const { setFlagsFromString } = require("node:v8")
const { constants, Script } = require("node:vm")

// What V8 compiles further is none of the cache's, but leaves its mark, and depends on how busy the machine is.
const tiers = ["sparkplug", "maglev", "opt"]
for (const tier of tiers) setFlagsFromString(`--no-${tier}`)

const [, , file, told] = process.argv
const script = new Script(readFileSync(file, "latin1"), {
  // A string of its own: as a slice of the path it would take the whole path, which is of this machine, into the cache.
  filename: Buffer.from(basename(file)).toString(),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})

function finish() {
  // A cache is only taken where the flags are as they were when it was made.
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
/** What the executable carries; and of threads none is started, for what they sent would come at any time. */
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
// A command tells on standard output that it is ready; a thread is once it waits for messages.
console.log = finish
process.argv.splice(1, Number.POSITIVE_INFINITY, process.execPath, ...args)
const program = { exports: {} }
script.runInThisContext()(program.exports, (name) => instead[name] ?? require(name), program, process.execPath, "")
if (workerData !== null) finish()
