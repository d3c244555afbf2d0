/** Values that a browser carries from one request to the next, encrypted so that it can neither read nor forge them. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { trusted } from "../../contract/json.ts"

const CIPHER = "aes-256-gcm"
const [NONCE, TAG] = [12, 16]

export class Encrypter {
  /** New in each process: values of before a restart cannot be decrypted. */
  readonly #key = randomBytes(32)
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** @param seconds how long the value can be decrypted */
  encrypt(value: object, seconds: number): string {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG })
    const until = this.#now() + seconds * 1000
    const text = Buffer.concat([cipher.update(JSON.stringify({ until, value }), "utf8"), cipher.final()])
    return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64url")
  }

  /** Returns the value; undefined if this process did not encrypt it, or if it has expired. */
  decrypt(encrypted: string): unknown {
    const bytes = Buffer.from(encrypted, "base64url")
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
