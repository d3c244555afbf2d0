/** A headless browser that follows redirects from one service to the other, and keeps each one's cookies apart. */

export interface Page {
  readonly url: string
  readonly status: number
  readonly text: string
  /** Every address visited on the way. */
  readonly way: readonly string[]
}

export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>()
  /** The real address for requests to an address. */
  readonly #via: (url: URL) => URL

  constructor(via: (url: URL) => URL = (url) => url) {
    this.#via = via
  }

  cookie(origin: string, name: string): string | undefined {
    return this.#cookies.get(origin)?.get(name)
  }

  /** Sends one request, as a browser does. */
  async once(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const asked = new URL(url)
    const own = this.#cookies.get(asked.origin) ?? new Map<string, string>()
    this.#cookies.set(asked.origin, own)
    const response = await fetch(this.#via(asked), {
      redirect: "manual",
      headers: {
        accept: "text/html",
        cookie: [...own].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(form && { origin: asked.origin }),
      },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === "" || /max-age=0|expires=thu, 01 jan 1970/i.test(cookie)) own.delete(name)
      else own.set(name, value)
    }
    return response
  }

  async #arrive(url: string, form?: Readonly<Record<string, string>>, until?: (url: string) => boolean): Promise<Page> {
    const way = [url]
    let response = await this.once(url, form)
    for (let next = response.headers.get("location"); next !== null; next = response.headers.get("location")) {
      const to = new URL(next, way.at(-1)).href
      way.push(to)
      if (until?.(to)) break
      if (way.length > 20) throw new Error(`no end: ${way.join("\n")}`)
      response = await this.once(to)
    }
    return { url: way.at(-1) ?? url, status: response.status, text: await response.text(), way }
  }

  /** @param until stops before requesting an address for which this is true */
  open(url: string, until?: (url: string) => boolean): Promise<Page> {
    return this.#arrive(url, undefined, until)
  }

  send(url: string, form: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.#arrive(url, form)
  }
}
