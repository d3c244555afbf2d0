/** What a browser carries for the service from one request to the next: it can neither read it nor make one itself. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { trusted } from "../../contract/json.ts"

const CIPHER = "aes-256-gcm"
const [NONCE, TAG] = [12, 16]

export class Sealer {
  /** Of this process: what an earlier one sealed is opened by nobody. */
  readonly #key = randomBytes(32)
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** @param seconds for which it can be opened */
  seal(value: object, seconds: number): string {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG })
    const until = this.#now() + seconds * 1000
    const text = Buffer.concat([cipher.update(JSON.stringify({ until, value }), "utf8"), cipher.final()])
    return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64url")
  }

  /** What was sealed here; undefined for anything else, and after its time. */
  open(sealed: string): unknown {
    const bytes = Buffer.from(sealed, "base64url")
    if (bytes.length < NONCE + TAG) return undefined
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE), { authTagLength: TAG })
    decipher.setAuthTag(bytes.subarray(-TAG))
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString("utf8")
      const { until, value } = trusted<{ until: number; value: unknown }>(text)
      return until > this.#now() ? value : undefined
    } catch {
      return undefined
    }
  }
}
