/** The largest pictures are decoded in a process of its own, within the memory that operation.md names for it. */
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { ask } from "../support/ask.ts"
import { png } from "../support/pictures.ts"

/** Megabytes that the process may take. */
const ALLOWED = Number(/Allow (\d+) MB more if pictures/.exec(readFileSync(".github/operation.md", "utf8"))?.[1])
const [width, height] = [5_000, 4_000]
const skip = process.platform === "linux" ? false : "only Linux tells the most memory that a process had"

const demo = await startResearchRoom()
t.teardown(() => demo.close())

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // The process has ended.
    return ""
  }
}
/** The most memory that each process had that this one started, in megabytes. */
function watched() {
  const most = new Map<string, number>()
  let isOver = false
  const done = (async () => {
    while (!isOver) {
      for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        const status = read(`/proc/${id}/status`)
        if (!status.includes(`PPid:\t${process.pid}\n`)) continue
        most.set(id, Math.max(most.get(id) ?? 0, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1_024))
      }
      await pause(5)
    }
  })()
  return async () => {
    isOver = true
    await done
    return Math.round(Math.max(0, ...most.values()))
  }
}

/** Says in a JPEG file that it is to be turned by a quarter: then there are two pictures in memory for a while. */
function turned(file: Buffer): Buffer {
  const exif = Buffer.from(
    "457869660000" + "49492a0008000000" + "0100" + "120103000100000006000000" + "00000000",
    "hex",
  )
  const length = Buffer.alloc(2)
  length.writeUInt16BE(exif.length + 2)
  return Buffer.concat([file.subarray(0, 2), Buffer.from("ffe1", "hex"), length, exif, file.subarray(2)])
}

async function jpegOf(file: Buffer): Promise<Buffer> {
  const { PhotonImage } = await import("@cf-wasm/photon/node")
  return Buffer.from(PhotonImage.new_from_byteslice(file).get_bytes_jpeg(90))
}

const drawn = png({ width, height, corner: true })
const files = [
  { type: "image/png", made: async () => drawn, size: { width, height } },
  { type: "image/jpeg", made: async () => turned(await jpegOf(drawn)), size: { width: height, height: width } },
]
for (const { type, made, size } of files)
  t.test(`a picture of 20 million pixels: ${type}`, { skip }, async (t) => {
    t.equal(width * height, limits.figurePixels)
    const raw = await made()
    const most = watched()
    const { status, text } = await ask(`${demo.baseUrl}/api/agent/research/figures`, {
      raw: new Uint8Array(raw),
      headers: { "content-type": type },
      token: demo.credentials.owner_all.token,
    })
    const megabytes = await most()
    t.equal(status, 200, text)
    t.match(JSON.parse(text), size)
    t.ok(megabytes > 100, `the process took ${megabytes} MB`)
    t.ok(megabytes < ALLOWED, `of ${ALLOWED} MB`)
  })
