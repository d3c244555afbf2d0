/** The plot that the first finding of the Room of numbers shows: the service's own, of what its attempt measured (build/demo-picture.ts). */
import type { Figure } from "../contract/definitions/figures.ts"
import { isKeyOf } from "../contract/each.ts"
import { digestOf } from "../contract/json.ts"
import { present } from "../contract/present.ts"
import { packagedBytes } from "../packaged.ts"
import { ARMS, FIRST, meanOf } from "./arms.ts"
import type { Member } from "./lab.ts"
import type { Narrator } from "./narrator.ts"
import { shown } from "./numbers.ts"

const SIZE = { width: 940, height: 256 }

/** Keeps the picture as an upload of this person. */
export async function coveragePlot(narrator: Narrator, by: Member): Promise<Figure> {
  const bytes = Buffer.from(present(packagedBytes("src/demo/coverage.webp")))
  const digest = digestOf(bytes)
  await narrator.uploads(by, { digest, mediaType: "image/webp", ...SIZE, bytes })
  const arms = Object.keys(ARMS).filter((arm) => isKeyOf(ARMS, arm))
  const means = arms.map((arm) => `${arm} ${shown(meanOf(arm, FIRST))}`)
  return { digest, alt: `Mean coverage of four ways to train over three seeds, each with its 95 % interval: ${means.join(", ")}.` }
}
