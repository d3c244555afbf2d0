/** The reader against packs of any kind: every object has the type it was stored with, and no other object is found. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as fc from "fast-check"
import { test } from "tap"
import { DamagedRepository, withFile, typeInPack, objectType } from "../../src/repositories/git/store.ts"
import { BareRepository, type Format, type Packed, type Type } from "./bare-repository.ts"

const seed = fc.record({
  type: fc.constantFrom<Type>("commit", "tree", "blob", "tag"),
  length: fc.oneof(fc.nat(300), fc.nat(70_000)),
  /** Which of the earlier objects of its type is its base, counted modulo their number; null for none. */
  base: fc.option(fc.nat(1000)),
  by: fc.constantFrom<"offset" | "reference">("offset", "reference"),
})
type Seed = typeof seed extends fc.Arbitrary<infer T> ? T : never

/** Objects all different from each other, whose deltas refer only to earlier ones. */
function objectsOf(drawn: readonly Seed[]): Packed[] {
  const objects: Packed[] = []
  for (const [index, { type, length, base, by }] of drawn.entries()) {
    const content = Buffer.alloc(length + 8, "all the same ")
    content.writeUInt32BE(index, length)
    const earlier = objects.flatMap((object, at) => (object.type === type ? [at] : []))
    const from =
      base === null || earlier.length === 0 ? {} : { from: { index: earlier[base % earlier.length] as number, by } }
    objects.push({ type, content, ...from })
  }
  return objects
}

const seeds = fc.array(seed, { minLength: 1, maxLength: 60 })

test("every object of any pack is found with its type, and nothing else is", async (t) => {
  const property = fc.asyncProperty(
    seeds,
    fc.constantFrom<Format>("sha1", "sha256"),
    fc.boolean(),
    async (drawn, format, largePlaces) => {
      const repository = new BareRepository(join(t.testdir(), "any.git"), { format })
      const objects = objectsOf(drawn)
      const ids = repository.pack(objects, { largePlaces })
      const folder = join(repository.path, "objects")
      for (const [index, id] of ids.entries()) {
        if ((await objectType(folder, id)) !== objects[index]?.type) return false
        const neighbour = id.slice(0, -1) + (id.endsWith("0") ? "1" : "0")
        if ((await objectType(folder, neighbour)) !== null) return false
      }
      return true
    },
  )
  await fc.assert(property, { numRuns: 40 })
  t.pass("40 packs")
})

test("a pack of random bytes is read to an end", async (t) => {
  const path = join(t.testdir({ pack: "" }), "pack")
  const entries = fc.uint8Array({ maxLength: 200 })
  const property = fc.asyncProperty(entries, fc.nat(200), async (bytes, place) => {
    await writeFile(path, Buffer.concat([Buffer.from("PACK\0\0\0\x02\0\0\0\x01"), bytes]))
    try {
      const type = await withFile(path, (pack) =>
        typeInPack(pack, 12 + place, 20, async (id) => 12 + (id[0] as number)),
      )
      return type === "commit" || type === "tree" || type === "blob" || type === "tag"
    } catch (error) {
      return error instanceof DamagedRepository
    }
  })
  await fc.assert(property, { numRuns: 300 })
  t.pass("300 packs")
})
