/**
 * Delivers one webhook event: a POST, signed as Standard Webhooks defines, that does not follow redirects or read the
 * response body.
 */
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { Webhook as Signer } from "standardwebhooks"
import type { RoomEvent } from "../../contract/answers/room-event.ts"
import { limits } from "../../contract/limits.ts"
import { ForbiddenAddress, mustReachLiteral, pinned, type Reach } from "../../rooms/webhook-addresses.ts"
import { uncompressed } from "../../outgoing.ts"
import { softwareVersion } from "../../version.ts"

/** The outcome of a delivery. */
export interface Outcome {
  /** The status of the response; null if there was none. */
  readonly status: number | null
  /** The status, or why there was no response, in a few words. */
  readonly text: string
}

interface DeliveryRequest {
  readonly url: string
  readonly secret: string
  readonly event: RoomEvent
  /** The time in the signature. */
  readonly at: Date
  readonly reach: Reach
  readonly signal: AbortSignal
}

/** Returns why there was no response, in a few words. */
function failureText(error: NodeJS.ErrnoException): string {
  if (error instanceof ForbiddenAddress) return error.message
  if (error.name === "TimeoutError" || error.name === "AbortError")
    return `did not answer within ${limits.webhookSeconds} seconds`
  return `could not be reached (${error.code ?? error.message})`
}

const statusText = (status: number): string =>
  status >= 300 && status < 400 ? `${status}: redirects are not followed` : String(status)

/** Delivers an event. Each attempt for an entry has the same id. Never throws. */
export function deliver({ url, secret, event, at, reach, signal }: DeliveryRequest): Promise<Outcome> {
  const body = JSON.stringify(event)
  const id = `msg_${event.roomId.replaceAll("-", "")}_${event.sequence}`
  return new Promise((done) => {
    const failed = (error: Error) => done({ status: null, text: failureText(error) })
    try {
      const address = new URL(url)
      mustReachLiteral(address, reach)
      const call = (address.protocol === "https:" ? requestHttps : requestHttp)(address, {
        method: "POST",
        agent: false,
        lookup: pinned(reach),
        signal: AbortSignal.any([signal, AbortSignal.timeout(limits.webhookSeconds * 1000)]),
        headers: {
          ...uncompressed,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "user-agent": `research-room/${softwareVersion}`,
          "webhook-id": id,
          "webhook-timestamp": Math.floor(at.getTime() / 1000),
          "webhook-signature": new Signer(secret).sign(id, at, body),
        },
      })
      call.once("response", (response) => {
        const { statusCode: status = 0 } = response
        // Only the status is used.
        response.destroy()
        done({ status, text: statusText(status) })
      })
      // The connection may also fail after the response.
      call.on("error", failed)
      call.end(body)
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)))
    }
  })
}
