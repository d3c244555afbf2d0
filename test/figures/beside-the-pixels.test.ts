/** What a picture's file says beside its pixels: which way up it is, in which colours, and whether it moves. */
import { deflateSync } from "node:zlib"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { ask } from "../support/ask.ts"
import { chunk, encoded, png } from "../support/pictures.ts"

const demo = await startResearchRoom()
t.teardown(() => demo.close())
const { baseUrl } = demo
const { openingThreadId: threadId } = demo.rooms.empty
const { token } = demo.credentials.owner_all
const owner = demo.client("owner_all")
const send = (raw: Buffer, type: string) =>
  ask(`${baseUrl}/api/agent/research/figures`, {
    raw: new Uint8Array(raw),
    headers: { "content-type": type },
    token,
  })

const tiff = (orientation: number, isBig: boolean) => {
  const bytes = Buffer.alloc(26)
  const [short, long] = isBig
    ? ([
        (value: number, at: number) => bytes.writeUInt16BE(value, at),
        (value: number, at: number) => bytes.writeUInt32BE(value, at),
      ] as const)
    : ([
        (value: number, at: number) => bytes.writeUInt16LE(value, at),
        (value: number, at: number) => bytes.writeUInt32LE(value, at),
      ] as const)
  bytes.write(isBig ? "MM" : "II", "latin1")
  short(42, 2)
  long(8, 4)
  short(1, 8)
  short(0x0112, 10)
  short(3, 12)
  long(1, 14)
  short(orientation, 18)
  return bytes
}
/** A piece of a JPEG file, after its first two bytes. */
const withSegment = (file: Buffer, marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([file.subarray(0, 2), head, data, file.subarray(2)])
}
const riff = (type: string, data: Buffer) => {
  const head = Buffer.alloc(8)
  head.write(type, "latin1")
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
const webpOf = (...pieces: Buffer[]) => riff("RIFF", Buffer.concat([Buffer.from("WEBP"), ...pieces]))
const canvas = (flags: number, width: number, height: number) => {
  const data = Buffer.alloc(10)
  data[0] = flags
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return riff("VP8X", data)
}
/** A colour profile with nothing but its name. */
const profile = (name: string) => {
  const bytes = Buffer.alloc(156 + name.length + 1)
  bytes.writeUInt32BE(1, 128)
  bytes.write("desc", 132, "latin1")
  bytes.writeUInt32BE(144, 136)
  bytes.writeUInt32BE(12 + name.length + 1, 140)
  bytes.write("desc", 144, "latin1")
  bytes.writeUInt32BE(name.length + 1, 152)
  bytes.write(name, 156, "latin1")
  return bytes
}

const plain = png({ width: 32, height: 16, corner: true })
const { jpeg, webp } = await encoded(plain)
const pixels = webp.subarray(12)
const exif = (orientation: number, isBig = true) => Buffer.concat([Buffer.from("Exif\0\0"), tiff(orientation, isBig)])

/** Uploads a picture, and returns its size and in which corner its white quarter is. */
async function shown(file: Buffer, type: string) {
  const { status, body } = await send(file, type)
  if (status !== 200) return JSON.stringify(body)
  const digest = String(body.digest)
  await owner.write("post_message", { threadId, text: "See.", figures: [{ digest, alt: "A corner." }] })
  const { PhotonImage } = await import("@cf-wasm/photon/node")
  const bytes = await (await fetch(`${baseUrl}/api/research/figures/${digest}`)).arrayBuffer()
  const image = PhotonImage.new_from_byteslice(new Uint8Array(bytes))
  const [width, height, raw] = [image.get_width(), image.get_height(), image.get_raw_pixels()]
  const isWhite = (x: number, y: number) =>
    (raw[4 * (Math.floor(y * height) * width + Math.floor(x * width))] ?? 0) > 128
  const corners = {
    "top left": [0.2, 0.2],
    "top right": [0.8, 0.2],
    "bottom left": [0.2, 0.8],
    "bottom right": [0.8, 0.8],
  }
  const white = Object.entries(corners).flatMap(([name, [x = 0, y = 0]]) => (isWhite(x, y) ? [name] : []))
  image.free()
  return `${width} x ${height}, ${white.join(" and ")}`
}

t.test("a picture is kept the way up that its file says", async (t) => {
  const upright = ["top left", "top right", "bottom right", "bottom left"]
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    const size = orientation < 5 ? "32 x 16" : "16 x 32"
    const expected = `${size}, ${upright[(orientation - 1) % 4]}`
    for (const isBig of [true, false])
      t.equal(await shown(withSegment(jpeg, 0xe1, exif(orientation, isBig)), "image/jpeg"), expected, `${orientation}`)
  }
  const chunks = [chunk("eXIf", tiff(6, false))]
  t.equal(await shown(png({ width: 32, height: 16, corner: true, chunks }), "image/png"), "16 x 32, top right")
  const turned = webpOf(canvas(0x08, 32, 16), pixels, riff("EXIF", tiff(8, true)))
  t.equal(await shown(turned, "image/webp"), "16 x 32, bottom left")
  t.equal(await shown(withSegment(jpeg, 0xe1, exif(9)), "image/jpeg"), "32 x 16, top left", "no such orientation")
  const cut = withSegment(jpeg, 0xe1, exif(6).subarray(0, 20))
  t.equal(await shown(cut, "image/jpeg"), "32 x 16, top left", "EXIF that ends early says nothing")
})

t.test("a colour profile other than sRGB's is refused with its name, since the colours would be others", async (t) => {
  const iccp = (name: string) =>
    chunk("iCCP", Buffer.concat([Buffer.from("any\0\0", "latin1"), deflateSync(profile(name))]))
  const files = (name: string): readonly (readonly [Buffer, string])[] => [
    [png({ chunks: [iccp(name)] }), "image/png"],
    [
      withSegment(jpeg, 0xe2, Buffer.concat([Buffer.from("ICC_PROFILE\0\x01\x01", "latin1"), profile(name)])),
      "image/jpeg",
    ],
    [webpOf(canvas(0x20, 32, 16), riff("ICCP", profile(name)), pixels), "image/webp"],
  ]
  for (const [file, type] of files("Display P3")) {
    const { status, body } = await send(file, type)
    t.equal(status, 422, type)
    t.match(body, { refusal: "invalid_schema", error: /has the colour profile "Display P3".*Convert it to sRGB/ })
  }
  for (const name of ["sRGB IEC61966-2.1", "sRGB built-in", "IEC 61966-2-1 Default RGB Colour Space - sRGB"])
    for (const [file, type] of files(name)) t.equal((await send(file, type)).status, 200, `${name} in ${type}`)
  const gamma = Buffer.alloc(4)
  gamma.writeUInt32BE(100_000)
  const linear = await send(png({ chunks: [chunk("gAMA", gamma)] }), "image/png")
  t.match(
    linear.body,
    { error: /has the colour profile of gamma 1,/ },
    "nor are colours of another gamma taken as they are",
  )
  const broken = chunk("iCCP", Buffer.from("any\0\0not packed", "latin1"))
  t.equal((await send(png({ chunks: [broken] }), "image/png")).status, 422, "nor one that cannot be read")
  const [segment] = [Buffer.from(jpeg)]
  const frame = segment.indexOf(Buffer.from([0xff, 0xc0]))
  segment[frame + 9] = 4
  t.match((await send(segment, "image/jpeg")).body, { error: /is in CMYK/ })
})

t.test("an animation is refused, whatever it calls itself", async (t) => {
  const control = Buffer.alloc(8)
  control.writeUInt32BE(2)
  const moving = webpOf(
    canvas(0x02, 32, 16),
    riff("ANIM", Buffer.alloc(6)),
    riff("ANMF", Buffer.concat([Buffer.alloc(16), pixels])),
  )
  for (const [file, type] of [
    [png({ chunks: [chunk("acTL", control)] }), "image/png"],
    [moving, "image/webp"],
  ] as const) {
    const { status, body } = await send(file, type)
    t.equal(status, 422, type)
    t.match(body, { error: /is an animation: only its first frame would be kept.*Nothing was stored/ })
  }
  const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")
  t.match(await send(gif, "image/gif"), { status: 422, body: { error: /image\/png, image\/jpeg, image\/webp/ } })
  t.match(await send(gif, "image/png"), { status: 422, body: { error: /is not a file of type image\/png/ } })
})
