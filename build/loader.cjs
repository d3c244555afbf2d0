/**
 * The first lines of the executable and of each of its threads: they run a program inside the executable. V8 loads it
 * from its code cache (`compile.cjs`), or compiles its text if there is no cache or V8 rejects it.
 */
function runCarried(name) {
  const { getAssetKeys, getRawAsset } = require("node:sea")
  const { constants, Script } = require("node:vm")
  const { zstdDecompressSync } = require("node:zlib")
  const unpacked = (asset) => zstdDecompressSync(Buffer.from(getRawAsset(asset)))
  const cache = `${name}.cache`
  const script = new Script(unpacked(`${name}.cjs`).latin1Slice(), {
    filename: `${name}.cjs`,
    cachedData: getAssetKeys().includes(cache) ? unpacked(cache) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} }
  const folder = require("node:path").dirname(process.execPath)
  script.runInThisContext()(module.exports, require, module, process.execPath, folder)
}
