/**
 * The routes that describe the service: manifest, OpenAPI, skill, schemas. Each document is generated once from the
 * registry.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { H3Event } from "h3"
import { metricsRead, type DiscoveryName, type DiscoveryParameters, discoveryRoutes } from "../discovery/routes.ts"
import { checkParameters } from "../edge/requests/reads.ts"
import { Refusal } from "../contract/refusals.ts"
import { addressOf, isLoopback, nodeSide, contextOf } from "../edge/limits/request-context.ts"
import { answer, type Answer, tagOf } from "../edge/answers/answer.ts"
import type { Edge } from "../edge/edge.ts"
import { metricsType } from "../edge/telemetry/metrics.ts"
import type { Routes } from "../edge/requests/routes.ts"
import { healthLive, healthReady, llmsTxt } from "../discovery/bootstrap.ts"
import { manifest } from "../discovery/manifest.ts"
import { pythonClient } from "../discovery/python.ts"
import { openApi } from "../discovery/openapi.ts"
import { schemaAnswer } from "../discovery/schemas.ts"
import { skill, skillFolder } from "../discovery/skill.ts"
import { isText, openOf } from "../contract/definitions/read.ts"
import { bearer, mustNotComeFromBrowser } from "../edge/identity/callers.ts"

// Serves the metrics to callers on this machine or with the operator's token. For everybody else the path does not
// exist.

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Headers that show that a proxy forwarded the request. */
const proxyHeaders = ["x-forwarded-for", "forwarded", "via", "x-real-ip"]

/**
 * Whether a request comes from this machine and was not forwarded. A service with a public name is behind a proxy,
 * which may not say for whom it forwards; then no request counts as local.
 */
function isLocal({ baseUrl }: Edge, event: H3Event): boolean {
  const request = nodeSide(event)?.req
  const { hostname } = new URL(baseUrl)
  const published = hostname !== "localhost" && !isLoopback(hostname.replace(/^\[|\]$/g, ""))
  return (
    !published &&
    request !== undefined &&
    isLoopback(addressOf(request, false)) &&
    proxyHeaders.every((name) => !event.req.headers.has(name))
  )
}

/**
 * Whether the request carries the operator's token. Compares digests in constant time. @throws Refusal after too many
 * wrong ones
 */
function hasToken({ metricsToken, rates }: Edge, event: H3Event): boolean {
  const token = /^Bearer +(\S+)$/i.exec(event.req.headers.get("authorization") ?? "")?.[1]
  if (metricsToken === undefined || token === undefined) return false
  if (timingSafeEqual(digest(token), digest(metricsToken))) return true
  rates?.refusedCredential(contextOf(event))
  return false
}

function metricsRoute(edge: Edge, routes: Routes): void {
  routes.add(metricsRead.method, metricsRead.path, async (event) => {
    if (edge.metrics === undefined || !(hasToken(edge, event) || isLocal(edge, event)))
      throw new Refusal("unknown_operation", "There is nothing at this address.")
    checkParameters(metricsRead, event.url.searchParams)
    return answer(await edge.metrics.text(), metricsType)
  })
}

type Content = string | Promise<Uint8Array>
/** Functions that make the documents, from parameters already checked. */
type Documents = { readonly [N in DiscoveryName]: { make(query: DiscoveryParameters<N>): Content }["make"] }

/** A zip with the same bytes at each start: its times are the earliest that a zip can hold. */
async function zipOf(files: readonly { readonly path: string; readonly text: string }[]): Promise<Uint8Array> {
  // Loaded on first use, because few clients need it.
  const { zipped } = await import("../research/export/zip.ts")
  const texts = files.map(({ path, text }) => ({ path, text: [text] }))
  return Buffer.concat(await Array.fromAsync(zipped(texts, new Date(0))))
}

function documents({ instance, baseUrl, softwareVersion, rates }: Edge): Documents {
  const running = {
    baseUrl,
    softwareVersion,
    instanceId: instance.instanceId,
    lineage: instance.lineage,
    rates: rates?.numbers ?? null,
  }
  const manifestText = () => JSON.stringify(manifest(running))
  const client = () => pythonClient(running)
  return {
    service: manifestText,
    manifest: manifestText,
    openapi: ({ slice }) => JSON.stringify(openApi(running, slice)),
    llms_txt: () => llmsTxt(running),
    python_client: client,
    skill_zip: () => zipOf(skillFolder(baseUrl, client())),
    skill: ({ part, operation }) => skill(part, running, operation),
    health_ready: () => JSON.stringify(healthReady(running, instance.datedAhead())),
    health_live: () => JSON.stringify(healthLive()),
    research_schema: (query) => JSON.stringify(schemaAnswer("research", query, running)),
    publication_schema: (query) => JSON.stringify(schemaAnswer("publication", query, running)),
    library_schema: (query) => JSON.stringify(schemaAnswer("library", query, running)),
  }
}

/** @throws Refusal 503 while writes are not accepted */
async function mustBeReady({ whyNotReady }: Edge): Promise<void> {
  const why = (await whyNotReady?.()) ?? null
  if (why !== null) throw new Refusal("temporarily_unavailable", why, { retryAfter: 2 })
}

/** The most documents in the cache. The registry allows fewer; this is a safeguard. */
const CACHED = 1_000

/** A document, encoded once however many clients read it. */
interface Document {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly tag: string
}

/** Caches the documents by name and parameters: each stays the same while the process runs. */
function cached(make: Readonly<Record<string, (query: Readonly<Record<string, unknown>>) => Content>>) {
  const known = new Map<string, Document>()
  return async (name: string, query: Readonly<Record<string, unknown>>): Promise<Document> => {
    const key = JSON.stringify([name, query])
    const found = known.get(key)
    if (found !== undefined) return found
    const bytes = Buffer.from((await make[name]?.(query)) ?? "")
    const document = { bytes, tag: tagOf(bytes) }
    if (known.size < CACHED) known.set(key, document)
    return document
  }
}

/** Adds the discovery routes of the registry. */
export function discovery(edge: Edge, routes: Routes): void {
  const document = cached(
    documents(edge) as Readonly<Record<string, (query: Readonly<Record<string, unknown>>) => Content>>,
  )
  metricsRoute(edge, routes)
  for (const definition of discoveryRoutes) {
    routes.add(
      definition.method,
      definition.path,
      async (event): Promise<Answer> => {
        // The Library's schemas are public, but its paths refuse a Room credential.
        if (definition.family === "library" && event.req.headers.has("authorization")) {
          mustNotComeFromBrowser(event)
          bearer(edge, definition.family, event)
        }
        const query = checkParameters(definition, event.url.searchParams)
        const isReady = definition.name === "health_ready"
        if (isReady) await mustBeReady(edge)
        // The readiness report changes while the process runs, so its content is part of the cache key.
        const { bytes, tag } = await document(
          definition.name,
          isReady ? { datedAhead: edge.instance.datedAhead() } : query,
        )
        return answer(bytes, definition.mediaType, 200, {
          etag: tag,
          ...(!isText(definition.mediaType) && { "content-type": definition.mediaType }),
        })
      },
      openOf(definition),
      // It takes a second to make, which this thread does not have.
      definition.name === "openapi" ? { cost: "expensive" } : undefined,
    )
  }
}
