/** `research-room serve` and `demo`: the service itself, and a seeded instance that calls no other service. */
import { statSync } from "node:fs"
import { Command, type Option } from "commander"
import type { Logger } from "pino"
import { isLoopback } from "../edge/limits/request-context.ts"
import { type Admits, inviters } from "../edge/sign-in-options.ts"
import { type Network, networksIn } from "../rooms/webhook-addresses.ts"
import {
  baseUrlOption,
  invalid,
  issuer,
  option,
  secret,
  secretOption,
  UsageError,
  webAddress,
  portOption,
  threadsOption,
} from "../settings.ts"
import { withProgress } from "./terminal.ts"
import { dataCommand } from "./with-instance.ts"
import type { Service } from "../app/service.ts"

// The flags that `serve` and `demo` share, and the settings made of them.

interface EdgeSettings {
  readonly rateLimits: "on" | "off"
  readonly trustProxy: "on" | "off"
  readonly logRequests: "on" | "off"
  readonly metricsToken?: string
  readonly securityContact?: string
  readonly host: string
  readonly port: number
  readonly baseUrl?: string
  readonly githubApi?: string
  readonly githubToken?: string
  readonly repositories?: string
  readonly arxiv: "on" | "off"
  readonly arxivApi: string
  readonly crossref: "on" | "off"
  readonly crossrefApi: string
  readonly crossrefContact?: string
  readonly oidcIssuer?: string
  readonly oidcClientId?: string
  readonly oidcClientSecret?: string
  readonly oidcName?: string
  readonly oidcAdmits: Admits
  readonly passwords: "on" | "off"
  readonly invitations: (typeof inviters)[number]
  readonly webhookNetworks?: readonly Network[]
}

/** Returns a parser that takes values of one form. */
const matching =
  (form: RegExp, message: string) =>
  (value: string): string =>
    form.test(value) ? value : invalid(message)

const contact = matching(
  /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:[+0-9-]+)$/,
  "It must be an address such as mailto:security@example.org or https://example.org/security.",
)
const mailAddress = matching(/^[^\s@<>()]+@[^\s@<>()]+$/, "It must be a mail address such as library@example.org.")

function existingFolder(value: string): string {
  if (statSync(value, { throwIfNoEntry: false })?.isDirectory() !== true) invalid("There is no such folder.")
  return value
}

function networks(value: string): Network[] {
  try {
    return networksIn(value)
  } catch {
    return invalid("It must be a list of networks such as 10.0.0.0/8,127.0.0.0/8.")
  }
}

const admits = (value: string): Admits => {
  if (value === "invited" || value === "everyone") return value
  return /^@[A-Za-z0-9.-]+\.[A-Za-z]+$/.test(value)
    ? `@${value.slice(1)}`
    : invalid("It must be invited, everyone, or a domain such as @example.org.")
}

/** A switch with a mandatory value. */
const onOff = (flags: string, description: string, standard: "on" | "off"): Option =>
  option(flags, description).choices(["on", "off"]).default(standard)

/** A switch that is turned on by its name alone. */
const flag = (name: string, description: string, standard: "on" | "off"): Option =>
  onOff(`${name} [on|off]`, description, standard).preset("on")

/** All shared options. Data and port are not among them, because their defaults differ. */
const edgeOptions = (rateLimits: "on" | "off"): Option[] => [
  option("--host <address>", "address to listen on; any but loopback needs --base-url").default("127.0.0.1"),
  baseUrlOption(),
  // How pinned repositories are checked.
  option(
    "--github-api <address>",
    "GitHub's REST API, which checks that a pinned repository is public and has the commit",
  ).argParser(webAddress),
  secretOption("--github-token <token>", "a token for that API: it allows more requests an hour and needs no rights"),
  option(
    "--repositories <folder>",
    "folder of bare repositories, <host>/<owner>/<name>.git, searched before GitHub",
  ).argParser(existingFolder),
  // Whether the metadata of papers is requested.
  onOff(
    "--arxiv <on|off>",
    "request the metadata of filed papers from arXiv, at the pace it asks for and without delaying writes",
    "off",
  ),
  option("--arxiv-api <address>", "arXiv's API, or a replacement")
    .argParser(webAddress)
    .default("https://export.arxiv.org/api/query"),
  onOff("--crossref <on|off>", "request the metadata of filed DOIs from Crossref, in the same way", "off"),
  option("--crossref-api <address>", "Crossref's REST API, or a replacement")
    .argParser(webAddress)
    .default("https://api.crossref.org"),
  option(
    "--crossref-contact <mail>",
    "a contact address for Crossref, which answers requests with one faster (default: " +
      "the mail address of --security-contact)",
  ).argParser(mailAddress),
  // How people sign in.
  option(
    "--oidc-issuer <address>",
    "the group's identity provider (OpenID Connect), with which people may sign in",
  ).argParser(issuer),
  option("--oidc-client-id <text>", "the client id of this service at the provider"),
  secretOption("--oidc-client-secret <text>", "the client secret of this service, if it has one"),
  option("--oidc-name <text>", "the name of the provider on the sign-in page (default: its host)"),
  option(
    "--oidc-admits <whom>",
    "who may join without an invitation: invited (nobody), everyone, or a domain such as @example.org (a verified " +
      "address there)",
  )
    .argParser(admits)
    .default("invited"),
  onOff("--passwords <on|off>", "off: people sign in only with the provider", "on"),
  option("--invitations <who>", "who may invite people").choices(inviters).default("owners"),
  option(
    "--webhook-networks <list>",
    "private networks that webhooks may reach, in addition to public addresses, such as 10.0.0.0/8,127.0.0.0/8",
  ).argParser(networks),
  // Limits, logs and metrics.
  flag(
    "--rate-limits",
    "answer 429 to an address or caller with far too many requests; the manifest has the limits",
    rateLimits,
  ),
  flag(
    "--trust-proxy",
    "use the last entry of X-Forwarded-For as the address of a request; only behind a proxy that sets it, " +
      "if no other client can reach the port",
    "off",
  ),
  flag("--log-requests", "log every request, not only sign-ins, refused credentials and failures", "off"),
  secretOption(
    "--metrics-token <token>",
    "a secret that opens /metrics as a bearer token; without it, only callers on this machine can read it, " +
      "and nobody with --base-url",
  ).argParser(secret),
  option(
    "--security-contact <address>",
    "where to report a vulnerability, for /.well-known/security.txt: mailto:, https: or tel:",
  ).argParser(contact),
]

/** Adds the shared options to a command. @param rateLimits the default of --rate-limits */
const withEdgeOptions = (command: Command, rateLimits: "on" | "off" = "off"): Command =>
  edgeOptions(rateLimits).reduce((made, added) => made.addOption(added), command)

/** @throws UsageError if the provider is incomplete, or nobody could sign in */
function requireWayIn({ oidcIssuer, oidcClientId, oidcClientSecret, passwords }: EdgeSettings): void {
  if (oidcIssuer === undefined && (oidcClientId ?? oidcClientSecret) !== undefined)
    throw new UsageError("--oidc-client-id and --oidc-client-secret need a provider: name it with --oidc-issuer.")
  if (oidcIssuer !== undefined && oidcClientId === undefined)
    throw new UsageError("--oidc-issuer needs --oidc-client-id, the client id of this service at the provider.")
  if (passwords === "off" && oidcIssuer === undefined)
    throw new UsageError(
      "With --passwords off, people need another way to sign in: name a provider with --oidc-issuer.",
    )
}

/** Returns the sign-in settings of the service. @throws UsageError if nobody could sign in */
function entranceOf(settings: EdgeSettings) {
  requireWayIn(settings)
  const {
    passwords,
    invitations,
    oidcIssuer: issuer,
    oidcClientId: clientId = "",
    oidcClientSecret: clientSecret,
  } = settings
  const common = { passwords: passwords === "on", invitations }
  if (issuer === undefined) return common
  const name = settings.oidcName ?? new URL(issuer).host
  return { ...common, provider: { issuer, clientId, clientSecret, name, admits: settings.oidcAdmits } }
}

const sourcesOf = ({ arxiv, arxivApi, crossref, crossrefApi, crossrefContact, securityContact }: EdgeSettings) => ({
  arxiv: arxiv === "on" ? { api: arxivApi } : null,
  crossref:
    crossref === "on"
      ? { api: crossrefApi, contact: crossrefContact ?? /^mailto:(.+)$/.exec(securityContact ?? "")?.[1] }
      : null,
})

/** @param api GitHub's API if no flag names one; null to use none */
const repositoriesOf = ({ githubApi, githubToken, repositories }: EdgeSettings, api: string | null) => {
  const github = githubApi ?? api
  return {
    folders: repositories === undefined ? [] : [repositories],
    github: github === null ? null : { api: github, token: githubToken ?? null },
  }
}

/**
 * Returns the settings of everything that the service calls: hosts of repositories, arXiv, Crossref, the identity
 * provider and receivers of webhooks.
 * @param githubApi GitHub's API if no flag names one; null to use none
 */
const outsideOf = (settings: EdgeSettings, githubApi: string | null) => ({
  repositories: repositoriesOf(settings, githubApi),
  ...sourcesOf(settings),
  entrance: entranceOf(settings),
  webhooks: settings.webhookNetworks && { networks: settings.webhookNetworks },
})

/**
 * @throws UsageError if other machines can reach the service without a base URL, which links and the Origin check need
 */
function mustHaveBaseUrl({ host, baseUrl }: EdgeSettings): void {
  if (baseUrl !== undefined || host === "localhost" || isLoopback(host)) return
  throw new UsageError(`Other machines can reach the service on ${host}: give the address they use with --base-url.`)
}

const GITHUB_API = "https://api.github.com"

interface ServeSettings extends EdgeSettings {
  readonly data: string
  readonly replicated?: string
  readonly follow?: string
  readonly primary?: string
  readonly forward?: true
  readonly threads: number
}

async function logOf({ logRequests }: ServeSettings): Promise<Logger> {
  const { openLog } = await import("../log.ts")
  return openLog("info", { busy: logRequests === "on" })
}

async function serveCopy(settings: ServeSettings, follow: string): Promise<void> {
  const { primary } = settings
  if (primary === undefined) throw new UsageError("A copy redirects writes to the original: name it with --primary.")
  if (settings.replicated !== undefined) throw new UsageError("--follow and --replicated cannot be combined.")
  const { startCopy } = await import("../app/replication/follower.ts")
  const copy = await startCopy({ ...settings, follow, primary, log: await logOf(settings) })
  const ended = untilEnded(copy)
  console.log(`research-room serves a copy of ${primary}, ${follow}, for reading at ${copy.baseUrl}`)
  console.log(`An agent starts at ${copy.baseUrl}/llms.txt`)
  await ended
}

async function serve(settings: ServeSettings): Promise<void> {
  mustHaveBaseUrl(settings)
  if (settings.follow !== undefined) return serveCopy(settings, settings.follow)
  if (settings.primary !== undefined || settings.forward)
    throw new UsageError("--primary and --forward are for a copy: name its folder with --follow.")
  const [{ startService }, { rescue }, { databaseFile }] = await Promise.all([
    import("../app/service.ts"),
    import("../check/backup.ts"),
    import("../ledger/storage/opening.ts"),
  ])
  const log = await logOf(settings)
  const service = await withProgress((onForward) =>
    startService({ ...settings, onForward, ...outsideOf(settings, GITHUB_API), log }),
  )
  const { files, instance } = service
  const ended = untilEnded(service, () => {
    const kept = rescue(instance.db, databaseFile(settings.data), files)
    if (kept !== null) log.fatal(kept)
  })
  console.log(`research-room serves ${settings.data} at ${service.baseUrl}`)
  if (settings.baseUrl !== undefined) console.log(`It listens on ${settings.host}, port ${service.port}`)
  console.log(`An agent starts at ${service.baseUrl}/llms.txt`)
  if (service.setUpLink !== null)
    console.log(
      `There are no users yet. Set up the first person with this link, which works once:\n  ${service.setUpLink}`,
    )
  await ended
}

export const serveCommand = (): Command =>
  withEdgeOptions(
    dataCommand("serve", "serve Rooms from a data folder until a signal ends the service")
      .addOption(portOption(8787))
      .addOption(threadsOption())
      .addOption(
        option(
          "--replicated <socket>",
          "answer a write after Litestream has copied it; Litestream must start this service, with this control socket",
        ),
      )
      .addOption(
        option(
          "--follow <folder>",
          "serve a read-only copy, which Litestream's follower writes there; needs --primary",
        ),
      )
      .addOption(
        option(
          "--primary <address>",
          "the address of the original; writes and private reads are redirected to it",
        ).argParser(webAddress),
      )
      .addOption(
        option(
          "--forward",
          "pass these requests on to the original and return its responses, instead of redirecting the client",
        ),
      ),
    "on",
  ).action(serve)

// Keeps a service running until a signal ends it, and shuts it down cleanly.

/**
 * Waits for SIGTERM, Ctrl-C or a failure of the service, then lets open requests finish and closes the database. A
 * second signal ends the process at once. Call it before the address is printed, because the caller may end the service
 * from then on. Until it ends, the process belongs to the service, which returns memory after busy periods.
 * @param onBroken called before the shutdown if the service failed
 */
async function untilEnded(
  service: Pick<Service, "broken" | "close"> & Partial<Pick<Service, "files">>,
  onBroken = () => {},
): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve())
  })
  const broken = service.broken.then(() => {
    process.exitCode = 1
    onBroken()
  })
  const { releaseMemory } = await import("../app/threads/memory.ts")
  const keepMemory = releaseMemory()
  await Promise.race([signalled, broken])
  keepMemory()
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(1))
  await service.close()
  // A normal exit closes the database, which would copy its log into the data file.
  if (service.files?.isSpoilt()) process.exit(1)
}

// `research-room demo`: a seeded instance that calls no other service.

interface Options extends EdgeSettings {
  readonly data?: string
  readonly json?: boolean
  readonly deterministic?: boolean
}

async function demo(options: Options): Promise<void> {
  mustHaveBaseUrl(options)
  const [{ startDemo }, { openLog }] = await Promise.all([import("../demo/demo.ts"), import("../log.ts")])
  const running = await startDemo({
    ...options,
    // Reader threads do not use the seeded world.
    ...(!options.deterministic && { threads: 1 }),
    ...outsideOf(options, null),
    log: openLog(options.json ? "fatal" : "info"),
  })
  const ended = untilEnded(running)
  const { baseUrl, people, rooms, credentials, keys, repositories } = running
  if (options.json) console.log(JSON.stringify({ baseUrl, people, rooms, credentials, keys, repositories }))
  else {
    console.log(`A demo is served at ${baseUrl}`)
    console.log(`Read its Room: curl ${baseUrl}/api/research/rooms/${rooms.main.roomId}`)
    console.log(`Sign in as ${people.owner.username} with ${people.owner.password}`)
    console.log(`Write with    ${credentials.member_all.token}`)
  }
  await ended
}

export const demoCommand = (): Command =>
  withEdgeOptions(
    new Command("demo")
      .description("serve a seeded instance for a first look or for tests")
      .addOption(option("--data <folder>", "an empty folder to keep the demo in (default: a temporary one)"))
      .addOption(portOption(0))
      .addOption(option("--json", "print one line of JSON with the addresses, ids and tokens of the demo, then serve"))
      .addOption(option("--deterministic", "use the same ids, tokens and times on every start")),
  ).action(demo)
