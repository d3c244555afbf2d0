/**
 * Sign-in at the group's identity provider with OpenID Connect, authorization code and PKCE. The client library is
 * loaded on first use.
 */
import type { Configuration } from "openid-client"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { fetchUncompressed } from "../outgoing.ts"
import { limits } from "../contract/limits.ts"
import { withoutTrailing } from "../contract/text.ts"
import { Refusal } from "../contract/refusals.ts"
import { trusted } from "../contract/json.ts"

// HTTP requests to an identity provider, which is not trusted until its responses are verified: time and size are
// limited, and redirects ignored.

const TIMEOUT_MS = 8_000
const MAX_BYTES = 256 * 1024

/** The provider sent no usable response: it is down, took too long, or sent too much. */
class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}

async function read({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the transfer.
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new NoAnswer(`an answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The options that the client library passes. */
interface RequestOptions {
  readonly method?: string | undefined
  readonly headers?: Record<string, string> | undefined
  readonly body?: RequestInit["body"] | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes a `fetch` that does not follow redirects.
 * @param timeoutMs the time limit for the whole response
 * @returns a function that throws NoAnswer if no complete response came, or one with status 5xx or 429
 */
export const boundedFetch =
  (timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES) =>
  async (address: string, { method = "GET", headers = {}, body, signal }: RequestOptions): Promise<Response> => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetchUncompressed(address, {
        method,
        headers,
        ...(body != null && { body }),
        redirect: "manual",
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      })
      const bytes = await read(response, maxBytes)
      if (response.status >= 500 || response.status === 429) throw new NoAnswer(`it answers ${response.status}`)
      const isEmpty = response.status === 204 || response.status === 304
      return new Response(isEmpty ? null : bytes, { status: response.status, headers: response.headers })
    } catch (error) {
      if (error instanceof NoAnswer) throw error
      if (timeout.aborted) throw new NoAnswer(`it does not answer within ${timeoutMs / 1000} seconds`)
      const cause = error instanceof Error ? error.cause : undefined
      throw new NoAnswer(cause instanceof Error ? cause.message : "it cannot be reached", { cause: error })
    }
  }

// The username proposed to a new user. They may choose another one, since they cannot change it later.

/** Turns a name from the provider into a valid username; "" if too little of it is left. */
export function proposedName(called: string | null): string {
  const plain = (called ?? "")
    .split("@", 1)[0]
    ?.normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .slice(0, limits.usernameMax)
    .replace(/^[._-]+/, "")
  const name = withoutTrailing(plain ?? "", "._-")
  return name.length >= limits.usernameMin ? name : ""
}

export interface ProviderSettings {
  /** The issuer exactly as in the provider's tokens. */
  readonly issuer: string
  readonly clientId: string
  /** Omitted for a public client. */
  readonly clientSecret?: string | undefined
  readonly name: string
  /** The redirect URI. */
  readonly backTo: string
  /** Milliseconds to wait after a failure before the next attempt; for tests. */
  readonly pause?: number
}

/** The values that bind the provider's response to the browser that started the sign-in. */
export interface SignInRequest {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** A person as identified by the provider. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Their username at the provider. Another person may have it here. */
  readonly called: string | null
  /** An email address that the provider has verified. */
  readonly email: string | null
}

/** Milliseconds to wait after a failure before the next attempt. */
const PAUSE = 5_000
/** Milliseconds for which the discovery document is cached. */
const CACHED_FOR = 3_600_000
const AT_ONCE = 8
/**
 * OpenID Connect permits at most 255 ASCII characters. The database could store anything else as a different subject.
 */
const SUBJECT = /^[\x20-\x7e]{1,255}$/
/** Seconds by which the provider's clock may differ, and for which a token, which comes at once, may be on its way. */
const [CLOCK_TOLERANCE, OLDEST] = [30, 600]
/** Maximum length of an address to which a browser is redirected. */
const ADDRESS_MOST = 4_000
/** Used states to remember, and for how many milliseconds: longer than a browser can return one. */
const [USED_MOST, USED_FOR] = [10_000, 900_000]

const library = () => import("openid-client")
type Library = Awaited<ReturnType<typeof library>>

/** Returns the library's error messages for the log. They are truncated, as they may quote what a stranger sent. */
function whyOf(error: unknown): string {
  const words: string[] = []
  for (let at = error; at instanceof Error && words.length < 3; at = at.cause) words.push(at.message)
  return words.join(": ").slice(0, 300)
}

const noAnswerIn = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof Error && error.cause !== undefined && noAnswerIn(error.cause))

/** A refusal with a reason for the log. */
export class ProviderRefusal extends Refusal {
  readonly why: string
  constructor(code: "not_authenticated" | "temporarily_unavailable", sentence: string, why: string) {
    super(code, sentence, { committed: false, ...(code === "temporarily_unavailable" && { retryAfter: PAUSE / 1000 }) })
    this.why = why
  }
}

/** Accepts only plain text: with bidirectional marks, one name could look like another. */
const text = (value: unknown): string | null =>
  typeof value === "string" &&
  value !== "" &&
  value.length <= limits.title &&
  !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)
    ? value
    : null
/** The common form of an email address. Other forms, such as quoted ones, can hide a second "@". */
const EMAIL = /^[\x21\x23-\x3f\x41-\x7e]+@[a-z0-9.-]+$/i
/**
 * Returns the email address if the same source says that it is verified: the flag of one source does not apply to the
 * address in another.
 */
function verifiedEmail({ email, email_verified }: Readonly<Record<string, unknown>>): string | null {
  const address = email_verified === true ? text(email) : null
  return address !== null && EMAIL.test(address) ? address : null
}

/** What is wrong with a token that the client library accepts; null if nothing is. */
function faultOf({ azp, iat }: { readonly azp?: unknown; readonly iat: number }, clientId: string): string | null {
  if (azp !== undefined && azp !== clientId) return "its identity token was issued to another client (azp)"
  const age = Date.now() / 1000 - iat
  if (age < -CLOCK_TOLERANCE) return "its identity token is dated in the future (iat)"
  return age > OLDEST + CLOCK_TOLERANCE ? "its identity token was issued long ago (iat)" : null
}

export class Provider {
  readonly name: string
  readonly #settings: ProviderSettings
  readonly #fetch: ReturnType<typeof boundedFetch>
  #cached: { readonly at: number; readonly configuration: Promise<[Library, Configuration]> } | undefined
  #failed: { readonly until: number; readonly refusal: ProviderRefusal } | undefined
  #working = 0
  /** Used states with the time until which to remember them, earliest first. */
  readonly #used = new Map<string, number>()

  constructor(settings: ProviderSettings, fetching = boundedFetch()) {
    this.name = settings.name
    this.#settings = settings
    this.#fetch = fetching
  }

  /**
   * Returns the address for the redirect, and the values for `finish`. @throws Refusal `temporarily_unavailable` while
   * the provider is down
   */
  async begin(): Promise<{ readonly address: string; readonly asked: SignInRequest }> {
    const [client, configuration] = await this.#discovered()
    const asked = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }
    const address = client.buildAuthorizationUrl(configuration, {
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
   * Verifies the provider's response, once for each state.
   * @param query the query of the request to the redirect URI
   * @throws Refusal `not_authenticated` if verification fails, `temporarily_unavailable` while the provider is down
   */
  async finish(query: string, { state, nonce, verifier }: SignInRequest): Promise<Identity> {
    const back = new URL(this.#settings.backTo)
    back.search = query
    if (back.searchParams.get("state") !== state || this.#used.has(state))
      throw new ProviderRefusal(
        "not_authenticated",
        "This sign-in was not started in this browser, or is finished already.",
        "another state",
      )
    this.#remember(state)
    return this.#within(async () => {
      const [client, configuration] = await this.#discovered()
      const tokens = await client.authorizationCodeGrant(configuration, back, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined || !SUBJECT.test(claims.sub))
        throw this.#untrusted("its subject is not 1 to 255 ASCII characters")
      const fault = faultOf(claims, this.#settings.clientId)
      if (fault !== null) throw this.#untrusted(fault)
      // Many providers give the name and the email address only at the userinfo endpoint.
      const isWhole = claims.preferred_username !== undefined && claims.email !== undefined
      const userInfo: Readonly<Record<string, unknown>> =
        isWhole || configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return {
        issuer: configuration.serverMetadata().issuer,
        subject: claims.sub,
        called: text(claims.preferred_username ?? userInfo.preferred_username),
        email: verifiedEmail(claims) ?? verifiedEmail(userInfo),
      }
    })
  }

  #remember(state: string): void {
    const now = performance.now()
    for (const [used, until] of this.#used) {
      if (until > now && this.#used.size < USED_MOST) break
      this.#used.delete(used)
    }
    this.#used.set(state, now + USED_FOR)
  }

  /** Runs requests to the provider, a few at a time, and turns their errors into refusals. */
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
    return new ProviderRefusal(
      "temporarily_unavailable",
      `${this.name} does not answer now. Try again in a few seconds.`,
      why,
    )
  }

  #unfit(why: string): ProviderRefusal {
    const mismatch = `${this.name} does not match the settings of this service.`
    const sentence = `${mismatch} Its operator can find the reason in the log.`
    return new ProviderRefusal("temporarily_unavailable", sentence, why)
  }

  #untrusted(why: string): ProviderRefusal {
    return new ProviderRefusal(
      "not_authenticated",
      `${this.name} did not sign you in, or its response could not be verified.`,
      why,
    )
  }

  /** Whether a browser may be redirected to an address: https only, unless the issuer itself uses http. */
  #canSendTo(address: string): boolean {
    const protocol = address.length <= ADDRESS_MOST && URL.parse(address)?.protocol
    return protocol === "https:" || (protocol === "http:" && this.#settings.issuer.startsWith("http:"))
  }

  /**
   * Returns the provider's configuration, cached for an hour. After a failure it repeats the refusal for a few seconds.
   */
  #discovered(): Promise<[Library, Configuration]> {
    const now = performance.now()
    if (this.#failed !== undefined && this.#failed.until > now) return Promise.reject(this.#failed.refusal)
    if (this.#cached !== undefined && now - this.#cached.at < CACHED_FOR) return this.#cached.configuration
    const configuration = this.#discover().catch((error: unknown) => {
      const refusal = noAnswerIn(error) ? this.#down(whyOf(error)) : this.#unfit(whyOf(error))
      this.#cached = undefined
      this.#failed = { until: performance.now() + (this.#settings.pause ?? PAUSE), refusal }
      throw refusal
    })
    this.#cached = { at: now, configuration }
    return configuration
  }

  async #discover(): Promise<[Library, Configuration]> {
    const client = await library()
    const { issuer, clientId, clientSecret } = this.#settings
    const authenticate = authentication(client, clientSecret)
    const configuration = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE },
      authenticate,
      {
        [client.customFetch]: this.#fetch,
        execute: [
          client.enableNonRepudiationChecks,
          ...(issuer.startsWith("http:") ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    // Checked here, so that an unusable document is not cached.
    const { authorization_endpoint = "" } = configuration.serverMetadata()
    if (!this.#canSendTo(authorization_endpoint))
      throw new Error(`its authorization endpoint is not an https address of at most ${ADDRESS_MOST} characters`)
    return [client, configuration]
  }
}

/** Authenticates by header, which is the default, or in the body if the provider declares only that. */
function authentication(client: Library, secret: string | undefined) {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (...[server, ...rest]: Parameters<typeof basic>) => {
    const methods = server.token_endpoint_auth_methods_supported
    const inBody = methods?.includes("client_secret_post") === true && !methods.includes("client_secret_basic")
    return (inBody ? post : basic)(server, ...rest)
  }
}

// Values that a browser carries from one request to the next, encrypted so that it can neither read nor forge them.

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
