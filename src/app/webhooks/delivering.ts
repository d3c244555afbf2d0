/** One delivery of a webhook, signed as Standard Webhooks does: a POST that takes seven seconds at the most, follows nothing and reads no answer. */
import { request as askPlainly } from "node:http"
import { request as askOverTls } from "node:https"
import { Webhook as Signer } from "standardwebhooks"
import type { RoomEvent } from "../../contract/answers/room-event.ts"
import { limits } from "../../contract/limits.ts"
import { ForbiddenAddress, mustReachLiteral, pinned, type Reach } from "../../rooms/webhook-addresses.ts"
import { softwareVersion } from "../../version.ts"

/** What came of a try: a status, or why there is none. */
export interface Outcome {
  readonly status: number | null
  readonly text: string
}

interface Asked {
  readonly url: string
  readonly secret: string
  readonly event: RoomEvent
  /** When it is signed. */
  readonly at: Date
  readonly reach: Reach
  readonly signal: AbortSignal
}

/** Why there was no answer, in a few words. */
function why(error: NodeJS.ErrnoException): string {
  if (error instanceof ForbiddenAddress) return error.message
  if (error.name === "TimeoutError" || error.name === "AbortError") return `did not answer within ${limits.webhookSeconds} seconds`
  return `could not be reached (${error.code ?? error.message})`
}

const answered = (status: number): string => (status >= 300 && status < 400 ? `${status}: redirects are not followed` : String(status))

/** Delivers an event. The same entry has the same id at each try. Never throws. */
export function deliver({ url, secret, event, at, reach, signal }: Asked): Promise<Outcome> {
  const body = JSON.stringify(event)
  const id = `msg_${event.roomId.replaceAll("-", "")}_${event.sequence}`
  return new Promise((done) => {
    const failed = (error: Error) => done({ status: null, text: why(error) })
    try {
      const address = new URL(url)
      mustReachLiteral(address, reach)
      const asking = (address.protocol === "https:" ? askOverTls : askPlainly)(address, {
        method: "POST",
        agent: false,
        lookup: pinned(reach),
        signal: AbortSignal.any([signal, AbortSignal.timeout(limits.webhookSeconds * 1000)]),
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "user-agent": `research-room/${softwareVersion}`,
          "webhook-id": id,
          "webhook-timestamp": Math.floor(at.getTime() / 1000),
          "webhook-signature": new Signer(secret).sign(id, at, body),
        },
      })
      asking.once("response", (response) => {
        const { statusCode: status = 0 } = response
        // Nobody reads what it says beside its status.
        response.destroy()
        done({ status, text: answered(status) })
      })
      // It may also fail once the answer is there.
      asking.on("error", failed)
      asking.end(body)
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)))
    }
  })
}
