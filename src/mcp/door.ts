/** How tools call the service: through its HTTP routes, inside its process or from another program. */

export interface ServiceRequest {
  readonly method: "GET" | "POST"
  /** Path and query, without the base URL. */
  readonly path: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** The type of the body; JSON if left out. */
  readonly mediaType?: string
  /** Whether to send the bearer token. Only agent routes take it. */
  readonly asBearer: boolean
}

/** The response as text: an answer, or a refusal in its envelope. */
export interface ServiceReply {
  readonly status: number
  readonly text: string
}

export interface Picture {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
}

export interface ServiceCaller {
  /** Scheme, host and path of the service, without a trailing slash. */
  readonly baseUrl: string
  readonly bearer: Bearer
  /**
   * Reads a picture file on the agent's machine; left out if this program does not run there. @throws TypeError if it
   * is not a picture
   */
  picture?(path: string): Promise<Picture>
  /** @throws NoAnswer */
  ask(request: ServiceRequest, signal?: AbortSignal): Promise<ServiceReply>
}

/** The kind of token that an agent has: a Room credential, a personal key, or none, with which it can only read. */
export type Bearer = "credential" | "key" | "none"

/** No complete response arrived: it is unknown whether a write was stored. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}
