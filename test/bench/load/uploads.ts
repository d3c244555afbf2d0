/**
 * Sends logs of the most bytes that are kept, in a process of its own that yields to all others: who sends a log has a
 * machine of his own, and the time it takes to send one is not the service's.
 */
import { randomUUID } from "node:crypto"
import { constants, setPriority } from "node:os"
import { uploadLog } from "../../../src/contract/definitions/attachments.ts"
import { limits } from "../../../src/contract/limits.ts"
import { answering } from "../process.ts"

export interface Upload {
  readonly port: number
  readonly token: string
}

export interface Uploaded {
  readonly digest: string
  readonly lines: number
  readonly seconds: number
}

setPriority(constants.priority.PRIORITY_LOW)
// It is made once: making it takes the time that the service is to have.
const rows: string[] = [randomUUID()]
for (let length = 0; length < limits.logBytes - 100; length += (rows.at(-1)?.length ?? 0) + 1)
  rows.push(`${rows.length} of ${rows[0]?.slice(0, 8)} loss ${(1 / (rows.length + 1)).toFixed(6)}`)
const bytes = Buffer.from(`${rows.join("\n")}\n`)

answering(async ({ port, token }: Upload): Promise<Uploaded> => {
  // Another log than the last one.
  bytes.write(randomUUID())
  const startedAt = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${uploadLog.path}`, {
    method: uploadLog.method,
    headers: { authorization: `Bearer ${token}`, "content-type": uploadLog.mediaType },
    body: bytes,
  })
  if (!response.ok) throw new Error(`an upload: ${await response.text()}`)
  const { digest } = (await response.json()) as { digest: string }
  return { digest, lines: rows.length, seconds: (performance.now() - startedAt) / 1_000 }
})
