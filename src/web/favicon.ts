/** `favicon.ico`, which browsers request by themselves: `src/web/style/icon.svg` drawn as 32 by 32 pixels. */

const SIZE = 32
/** Blue, green, red, opacity. */
const GROUND = [0x4d, 0x36, 0x23, 0xff]
const INK = [0xec, 0xf4, 0xf7, 0xff]
/** Left, top, right and bottom, on a grid of 24 by 24. */
const SHAPES = [
  [5, 6, 11, 18],
  [13, 6, 19, 11],
  [13, 13, 19, 18],
]

function draw(): Uint8Array<ArrayBuffer> {
  const pixelBytes = SIZE * SIZE * 4
  const maskBytes = SIZE * 4
  const bytes = new Uint8Array(22 + 40 + pixelBytes + maskBytes)
  const view = new DataView(bytes.buffer)
  // The directory has one icon, of 32 bits per pixel.
  view.setUint16(2, 1, true)
  view.setUint16(4, 1, true)
  bytes.set([SIZE, SIZE], 6)
  view.setUint16(10, 1, true)
  view.setUint16(12, 32, true)
  view.setUint32(14, 40 + pixelBytes + maskBytes, true)
  view.setUint32(18, 22, true)
  view.setUint32(22, 40, true)
  view.setInt32(26, SIZE, true)
  // The height of a bitmap in an icon counts the rows of the mask too.
  view.setInt32(30, SIZE * 2, true)
  view.setUint16(34, 1, true)
  view.setUint16(36, 32, true)
  view.setUint32(42, pixelBytes + maskBytes, true)
  for (let row = 0; row < SIZE; row += 1)
    for (let column = 0; column < SIZE; column += 1) {
      const [x, y] = [((column + 0.5) * 24) / SIZE, ((row + 0.5) * 24) / SIZE]
      const isInk = SHAPES.some(([left = 0, top = 0, right = 0, bottom = 0]) => x > left && x < right && y > top && y < bottom)
      // Rows are stored from the bottom up.
      bytes.set(isInk ? INK : GROUND, 62 + ((SIZE - 1 - row) * SIZE + column) * 4)
    }
  return bytes
}

let drawn: Uint8Array<ArrayBuffer> | undefined
export const favicon = (): Uint8Array<ArrayBuffer> => {
  drawn ??= draw()
  return drawn
}
