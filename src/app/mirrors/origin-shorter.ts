/** The fault of an origin that was restored from an older copy. */
import { CrateFault } from "../../research/import/crate-file.ts"

/** The origin has fewer entries than this instance. */
export class OriginShorter extends CrateFault {
  readonly watermark: number
  constructor(watermark: number) {
    super(`The history of the origin now ends at entry ${watermark}: it was restored from an older copy. The Room here is unchanged.`)
    this.watermark = watermark
  }
}
