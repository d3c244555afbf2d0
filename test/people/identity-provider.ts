/** A real identity provider, oidc-provider on loopback. The named person is signed in there without being asked. */
import { generateKeyPairSync, sign } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import Provider from "oidc-provider"

export interface Account {
  readonly preferred_username?: string
  readonly email?: string
  readonly email_verified?: boolean
}

/** Changes an answer of the provider in transit; undefined leaves it unchanged. */
export type Meddle = (path: string, body: string) => string | undefined

export const client = { clientId: "rooms", clientSecret: "a secret that only the two of them know" }

export interface IdentityProvider {
  readonly issuer: string
  /** The accounts there, by subject. */
  readonly accounts: Record<string, Account>
  /** The subject at the browser. */
  at: string
  /** Replaces its answers, if set. */
  meddle: Meddle | null
  /** Paths of the requests from the service. */
  readonly asked: string[]
  /** Stops it; `start` resumes at the same address. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** The provider's own key, so that tests can sign as it does. */
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })

/** Returns a token with changed claims, signed as the provider signs. */
export function signedAgain(token: string, change: (claims: Readonly<Record<string, unknown>>) => object): string {
  const [head = "", claims = ""] = token.split(".")
  const changed = JSON.stringify(
    change(JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>),
  )
  const signed = `${head}.${Buffer.from(changed).toString("base64url")}`
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`
}

/** Starts a provider that redirects back to any address, because the services under test listen on any free port. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const server = createServer()
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const accounts: Record<string, Account> = {}
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: ["https://rooms.example.org"],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    claims: { openid: ["sub"], profile: ["preferred_username"], email: ["email", "email_verified"] },
    features: { devInteractions: { enabled: false } },
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "of-the-tests" }] },
    pkce: { required: () => true },
    cookies: { keys: ["tests"] },
    ttl: { IdToken: 600, AccessToken: 600, AuthorizationCode: 60, Grant: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...accounts[sub] }) }),
    async loadExistingGrant({ oidc }: { oidc: { session: { accountId: string }; client: { clientId: string } } }) {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
      grant.addOIDCScope("openid profile email")
      await grant.save()
      return grant
    },
  })
  provider.Client.prototype.redirectUriAllowed = () => true
  const answer = provider.callback()
  const made: IdentityProvider = {
    issuer,
    accounts,
    at: "",
    meddle: null,
    asked: [],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    start: () => listen(port),
  }
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split("?")[0] ?? ""
    made.asked.push(path)
    if (path.startsWith("/interaction/"))
      void provider.interactionFinished(request, response, { login: { accountId: made.at } })
    else {
      const { meddle } = made
      if (meddle !== null) {
        const end = response.end.bind(response)
        response.end = ((body?: Buffer | string) => {
          const changed = body === undefined ? undefined : meddle(path, body.toString())
          if (changed === undefined) return end(body)
          response.setHeader("content-length", Buffer.byteLength(changed))
          return end(changed)
        }) as typeof response.end
      }
      answer(request, response)
    }
  })
  return made
}
