/** The fault of an origin that was put back. */
import { CrateFault } from "../../research/import/crate-file.ts"

/** The origin has fewer entries than were asked for. */
export class Shorter extends CrateFault {
  readonly watermark: number
  constructor(watermark: number) {
    super(`The origin stands at entry ${watermark} and not where it stood: it was put back from an older copy. What is here stays.`)
    this.watermark = watermark
  }
}
