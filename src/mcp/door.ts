/** How tools reach the service: by its own HTTP routes, whether inside its process or from elsewhere. Nothing else is open to them. */

/** One request. */
export interface Asked {
  readonly method: "GET" | "POST"
  /** Below the base URL, with its query. */
  readonly path: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** The type of the body; JSON where nothing is said. */
  readonly mediaType?: string
  /** Whether the bearer goes with it: to agent routes alone. */
  readonly asBearer: boolean
}

/** What came back: what was asked for, or a refusal in its envelope, as text. */
export interface Answered {
  readonly status: number
  readonly text: string
}

export interface Picture {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
}

export interface ServiceCaller {
  /** Scheme, host and path of the service, without a slash at the end. */
  readonly baseUrl: string
  /** What opens more than public reads. */
  readonly bearer: Bearer
  /** Reads a picture of the agent's own machine; left out where this program does not run there. @throws TypeError for what is no picture */
  picture?(path: string): Promise<Picture>
  /** @throws NoAnswer */
  ask(asked: Asked, signal?: AbortSignal): Promise<Answered>
}

/** What an agent holds: a Room credential, a personal key, or nothing, which reads only. */
export type Bearer = "credential" | "key" | "none"

/** No whole answer came: of a write it is not known whether it was stored. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}
