/** A browser as a proxy sees it: over HTTP/2 or HTTP/1.1, with cookies sent where their path says. */
import { type ClientHttp2Session, connect } from "node:http2"
import { request as ask } from "node:https"
import { connect as connectTls } from "node:tls"

export interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly bytes: Buffer
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Cookie {
  readonly name: string
  readonly host: string
  readonly path: string
  readonly value: string
}

export class Through {
  readonly #port: number
  readonly #ca: Buffer
  readonly #sessions = new Map<string, ClientHttp2Session>()
  readonly #cookies = new Map<string, Cookie>()

  constructor(port: number, ca: Buffer) {
    this.#port = port
    this.#ca = ca
  }

  /** The connection to a host that HTTP/2 keeps open. */
  #session(origin: string): ClientHttp2Session {
    const known = this.#sessions.get(origin)
    if (known !== undefined) return known
    const { hostname } = new URL(origin)
    const made = connect(origin, {
      createConnection: () =>
        connectTls({ host: "127.0.0.1", port: this.#port, servername: hostname, ca: this.#ca, ALPNProtocols: ["h2"] }),
    })
    // If it fails, each request under way on it fails.
    made.on("error", () => {})
    this.#sessions.set(origin, made)
    return made
  }

  cookies({ hostname, pathname }: URL): string {
    const fits = ({ host, path }: Cookie) =>
      host === hostname && (pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`))
    return [...this.#cookies.values()]
      .filter(fits)
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
  }

  #keep({ hostname }: URL, given: string | readonly string[] | undefined): void {
    for (const text of given === undefined ? [] : [given].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      const path = /; *path=([^;]*)/i.exec(text)?.[1] ?? "/"
      const key = `${hostname} ${path} ${name}`
      if (/max-age=0/i.test(text)) this.#cookies.delete(key)
      else this.#cookies.set(key, { name, host: hostname, path, value })
    }
  }

  #headers(url: URL, { headers = {}, body }: Sent): Record<string, string> {
    const cookie = this.cookies(url)
    return {
      ...(cookie === "" ? {} : { cookie }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    }
  }

  /** Over HTTP/2. */
  send(address: string, sent: Sent = {}): Promise<Got> {
    const url = new URL(address)
    return new Promise((resolve, reject) => {
      const stream = this.#session(url.origin).request({
        ":path": url.pathname + url.search,
        ":method": sent.method ?? (sent.body === undefined ? "GET" : "POST"),
        ...this.#headers(url, sent),
      })
      const parts: Buffer[] = []
      let headers: Got["headers"] = {}
      stream.on("response", (given) => (headers = given as Got["headers"]))
      stream.on("data", (part: Buffer) => parts.push(part))
      stream.on("error", reject)
      stream.on("end", () => {
        this.#keep(url, headers["set-cookie"])
        resolve({ status: Number(headers[":status"]), headers, bytes: Buffer.concat(parts) })
      })
      stream.end(sent.body)
    })
  }

  /** Over HTTP/1.1, on a connection of its own. */
  sendOld(address: string, sent: Sent = {}): Promise<Got> {
    const url = new URL(address)
    return new Promise((resolve, reject) => {
      const request = ask(
        {
          host: "127.0.0.1",
          port: this.#port,
          servername: url.hostname,
          ca: this.#ca,
          agent: false,
          path: url.pathname + url.search,
          method: sent.method ?? (sent.body === undefined ? "GET" : "POST"),
          headers: { ...this.#headers(url, sent), host: url.host },
        },
        (answer) => {
          const parts: Buffer[] = []
          answer.on("data", (part: Buffer) => parts.push(part))
          answer.on("error", reject)
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
          )
        },
      )
      request.on("error", reject)
      request.end(sent.body)
    })
  }

  close(): void {
    for (const session of this.#sessions.values()) session.destroy()
  }
}
