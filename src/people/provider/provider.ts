/** The group's own identity provider: OpenID Connect, by code and PKCE. Its library is loaded, and it is asked, when somebody first needs it. */
import type { Configuration } from "openid-client"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { boundedFetch, NoAnswer } from "./bounded-fetch.ts"

export interface ProviderSettings {
  /** As it stands in what it signs. */
  readonly issuer: string
  readonly clientId: string
  /** Left out, of a client that has none. */
  readonly clientSecret?: string | undefined
  /** What people call it. */
  readonly name: string
  /** The address that it sends people back to. */
  readonly backTo: string
  /** Milliseconds for which it is not asked again when it did not answer; for tests. */
  readonly pause?: number
}

/** What the browser must bring back for an answer to be its own. */
export interface Asked {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Whom the provider vouches for. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** What they are called there, as it says; another person may be called so here. */
  readonly called: string | null
  /** An address that the provider says it has verified. */
  readonly email: string | null
}

/** Milliseconds for which a provider that did not answer is not asked again, and for how long its document is kept, and what is done at once. */
const [PAUSE, KEPT, AT_ONCE] = [5_000, 3_600_000, 8]
/** OpenID Connect says at most 255 ASCII characters. Anything else could become another subject on its way into the database. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/
/** Characters of an address that a browser is sent to. */
const ADDRESS_MOST = 4_000
/** States that are remembered as used, and for how many milliseconds: longer than a browser can bring one. */
const [USED_MOST, USED_FOR] = [10_000, 900_000]

const library = () => import("openid-client")
type Library = Awaited<ReturnType<typeof library>>

/** Why the library refused, in its own words, for the log: what a stranger sent is cut short. */
function whyOf(error: unknown): string {
  const words: string[] = []
  for (let at = error; at instanceof Error && words.length < 3; at = at.cause) words.push(at.message)
  return words.join(": ").slice(0, 300)
}

const noAnswerIn = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof Error && error.cause !== undefined && noAnswerIn(error.cause))

/** A refusal with what the log says of it. */
export class ProviderRefusal extends Refusal {
  readonly why: string
  constructor(code: "not_authenticated" | "temporarily_unavailable", sentence: string, why: string) {
    super(code, sentence, { committed: false, ...(code === "temporarily_unavailable" && { retryAfter: PAUSE / 1000 }) })
    this.why = why
  }
}

/** Bidirectional marks would let a name show as another one. */
const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && value.length <= limits.title && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)
    ? value
    : null
/** An address as most people have one: other forms, such as quoted ones, can hide a second "@". */
const EMAIL = /^[\x21\x23-\x3f\x41-\x7e]+@[a-z0-9.-]+$/i
/** The address that one source both names and calls verified: a flag of one source says nothing of another's address. */
function verifiedEmail({ email, email_verified }: Readonly<Record<string, unknown>>): string | null {
  const address = email_verified === true ? text(email) : null
  return address !== null && EMAIL.test(address) ? address : null
}

export class Provider {
  readonly name: string
  readonly #settings: ProviderSettings
  readonly #fetch: ReturnType<typeof boundedFetch>
  #found: { readonly at: number; readonly found: Promise<[Library, Configuration]> } | undefined
  #failed: { readonly until: number; readonly refusal: ProviderRefusal } | undefined
  #working = 0
  /** States that were brought back, with when nobody can bring them any more. */
  readonly #used = new Map<string, number>()

  constructor(settings: ProviderSettings, fetching = boundedFetch()) {
    this.name = settings.name
    this.#settings = settings
    this.#fetch = fetching
  }

  /** Where a browser is to be sent, and what it must bring back. @throws Refusal `temporarily_unavailable` while the provider is down */
  async begin(): Promise<{ readonly address: string; readonly asked: Asked }> {
    const [client, found] = await this.#discovered()
    const asked = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
    const address = client.buildAuthorizationUrl(found, {
      redirect_uri: this.#settings.backTo,
      response_type: "code",
      scope: "openid profile email",
      state: asked.state,
      nonce: asked.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(asked.verifier),
      code_challenge_method: "S256",
    })
    return { address: address.href, asked }
  }

  /**
   * Verifies what a browser brought back; once for each state.
   * @param query of the address it came back to
   * @throws Refusal `not_authenticated` where it does not verify, `temporarily_unavailable` while the provider is down
   */
  async finish(query: string, { state, nonce, verifier }: Asked): Promise<Identity> {
    const back = new URL(this.#settings.backTo)
    back.search = query
    if (back.searchParams.get("state") !== state || this.#used.has(state))
      throw new ProviderRefusal("not_authenticated", "This sign-in was not begun in this browser, or was ended already.", "another state")
    this.#remember(state)
    return this.#within(async () => {
      const [client, found] = await this.#discovered()
      const tokens = await client.authorizationCodeGrant(found, back, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined || !SUBJECT.test(claims.sub)) throw this.#untrusted("its subject is not 1 to 255 ASCII characters")
      // Many providers put the name and the address beside the token only.
      const isWhole = claims.preferred_username !== undefined && claims.email !== undefined
      const more: Readonly<Record<string, unknown>> =
        isWhole || found.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(found, tokens.access_token, claims.sub)
      return {
        issuer: found.serverMetadata().issuer,
        subject: claims.sub,
        called: text(claims.preferred_username ?? more.preferred_username),
        email: verifiedEmail(claims) ?? verifiedEmail(more),
      }
    })
  }

  /** They stand in the order of their ends. */
  #remember(state: string): void {
    const now = performance.now()
    for (const [used, until] of this.#used) {
      if (until > now && this.#used.size < USED_MOST) break
      this.#used.delete(used)
    }
    this.#used.set(state, now + USED_FOR)
  }

  /** Does what asks the provider, a few at once. */
  async #within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working >= AT_ONCE) throw this.#down("too many sign-ins at once")
    this.#working += 1
    try {
      return await work()
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw noAnswerIn(error) ? this.#down(whyOf(error)) : this.#untrusted(whyOf(error))
    } finally {
      this.#working -= 1
    }
  }

  #down(why: string): ProviderRefusal {
    return new ProviderRefusal("temporarily_unavailable", `${this.name} does not answer now. Try again in a few seconds.`, why)
  }

  #unfit(why: string): ProviderRefusal {
    const sentence = `${this.name} does not answer as the settings of this service say. Its operator finds in the log why.`
    return new ProviderRefusal("temporarily_unavailable", sentence, why)
  }

  #untrusted(why: string): ProviderRefusal {
    return new ProviderRefusal("not_authenticated", `${this.name} did not sign you in, or what it answered cannot be trusted.`, why)
  }

  /** Whether a browser may be sent to an address: over https, except where the provider itself is on this machine. */
  #canSendTo(address: string): boolean {
    const protocol = address.length <= ADDRESS_MOST && URL.parse(address)?.protocol
    return protocol === "https:" || (protocol === "http:" && this.#settings.issuer.startsWith("http:"))
  }

  /** What the provider says of itself, asked once an hour. A failure is told for a moment before it is asked again. */
  #discovered(): Promise<[Library, Configuration]> {
    const now = performance.now()
    if (this.#failed !== undefined && this.#failed.until > now) return Promise.reject(this.#failed.refusal)
    if (this.#found !== undefined && now - this.#found.at < KEPT) return this.#found.found
    const found = this.#discover().catch((error: unknown) => {
      const refusal = noAnswerIn(error) ? this.#down(whyOf(error)) : this.#unfit(whyOf(error))
      this.#found = undefined
      this.#failed = { until: performance.now() + (this.#settings.pause ?? PAUSE), refusal }
      throw refusal
    })
    this.#found = { at: now, found }
    return found
  }

  async #discover(): Promise<[Library, Configuration]> {
    const client = await library()
    const { issuer, clientId, clientSecret } = this.#settings
    const found = await client.discovery(new URL(issuer), clientId, { [client.clockTolerance]: 30 }, authentication(client, clientSecret), {
      [client.customFetch]: this.#fetch,
      execute: [client.enableNonRepudiationChecks, ...(issuer.startsWith("http:") ? [client.allowInsecureRequests] : [])],
    })
    // Looked at here, so that a document that cannot be used is not kept.
    const { authorization_endpoint = "" } = found.serverMetadata()
    if (!this.#canSendTo(authorization_endpoint))
      throw new Error(`its authorization endpoint is no https address of at most ${ADDRESS_MOST} characters`)
    return [client, found]
  }
}

/** By header, as every provider takes it, but for one that says it does not. */
function authentication(client: Library, secret: string | undefined) {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (...[server, ...rest]: Parameters<typeof basic>) => {
    const taken = server.token_endpoint_auth_methods_supported
    const inBody = taken?.includes("client_secret_post") === true && !taken.includes("client_secret_basic")
    return (inBody ? post : basic)(server, ...rest)
  }
}
