/** One request, right or wrong, and its answer, checked against the contract. */
import type { Fetch } from "research-room/client"
import { held } from "./contract.ts"
import { textOf } from "./streams.ts"

export interface Asked {
  readonly method?: string
  /** A Room credential, or any other value in its place. */
  readonly token?: string | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, in place of `body`. */
  readonly raw?: RequestInit["body"]
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: Fetch
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON body; undefined if there is none. */
  readonly body: Json
}

/** JSON that a test reads without declaring its type. */
export interface Json {
  readonly [member: string]: Json
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined as unknown as Json
  }
}

/** Sends a request: POST if it has a body and no method. */
export async function ask(
  url: string,
  { method, token, body, raw, headers = {}, fetch = held }: Asked = {},
): Promise<Answer> {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url, {
    method: method ?? (sent === undefined ? "GET" : "POST"),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    redirect: "manual",
    ...(sent === undefined || sent === null ? {} : { body: sent }),
    ...(sent instanceof ReadableStream ? { duplex: "half" } : {}),
  })
  const text = await textOf(response)
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}
