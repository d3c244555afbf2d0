/**
 * Building the executable of one commit gives the same file, bit for bit, in any folder, so it can be verified against
 * its source.
 */
import { hash } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { bundleInto } from "../../build/bundle.ts"
import { make } from "../../build/make.ts"
import { nodeOf } from "../../build/node-of.ts"
import { platformHere } from "../../build/platforms.ts"

t.setTimeout(180_000)

/** The digest of an executable built in a folder with that name. */
async function madeIn(name: string): Promise<string> {
  const work = t.testdir({ [name]: {} })
  const folder = join(work, name)
  mkdirSync(folder, { recursive: true })
  const { platform: os, arch: cpu } = process
  const node = platformHere === undefined ? process.execPath : await nodeOf(platformHere)
  return hash(
    "sha256",
    readFileSync(
      await make({ os, cpu, node, version: process.versions.node, bundle: await bundleInto(folder), work: folder }),
    ),
  )
}

t.test("built twice, in folders with different names, it is the same", async (t) => {
  const first = await madeIn("one")
  t.match(first, /^[0-9a-f]{64}$/)
  t.equal(await madeIn("another-with-a-longer-name"), first)
})
