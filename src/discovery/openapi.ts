/** The OpenAPI document of all routes. */
import { sessionCookie } from "../contract/operations/actions.ts"
import type { Slice } from "../contract/schema/enumerations.ts"
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { operations } from "../contract/operations/index.ts"
import { licence, protocolVersion, serviceName } from "../contract/versions.ts"
import { componentSchemas } from "./components.ts"
import type { Program } from "./facts.ts"
import { commonResponses, type DescribedRoute, type OpenApiRoute, securitySchemes, tags } from "./openapi-parts.ts"
import { openApiRoutes } from "./openapi-routes.ts"

/** The part that is the same for every instance and slice: half of the work, cached on first use. */
let described:
  | { readonly routes: readonly OpenApiRoute[]; readonly schemas: ReturnType<typeof componentSchemas> }
  | undefined
const ofRegistry = () => (described ??= { routes: openApiRoutes(), schemas: componentSchemas(operations) })

/** Groups routes by path, with one member for each method. */
function paths(routes: readonly OpenApiRoute[]): Record<string, Record<string, DescribedRoute>> {
  const items: Record<string, Record<string, DescribedRoute>> = {}
  for (const { path, method, operation } of routes) items[path] = { ...items[path], [method]: operation }
  return items
}

/** The schemas that a part of the document uses, directly or through other schemas. */
function usedBy(part: unknown, schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const found = new Set<string>()
  const follow = (from: unknown): void => {
    for (const [, name = ""] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      follow(schemas[name] ?? {})
    }
  }
  follow(part)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}

const bearer = (token: string) => ({
  type: "http",
  scheme: "bearer",
  description: `${token} Requests that carry an Origin header are refused.`,
})

/** The document of all routes, or of one slice: its routes and the schemas that they use. */
export function openApi({ baseUrl, softwareVersion }: Program, slice?: Slice) {
  const { routes, schemas } = ofRegistry()
  const served = paths(routes.filter((route) => slice === undefined || route.slice === slice))
  return {
    openapi: "3.1.1",
    info: {
      title: serviceName,
      version: softwareVersion,
      summary: "Public research organised in Rooms, written by people and by agents.",
      description: `Protocol version ${protocolVersion}. Answers may gain members without a new version; bodies take only the members described here.`,
      contact: { name: "The operator of this instance", url: `${baseUrl}/` },
      license: licence,
    },
    servers: [{ url: baseUrl }],
    tags: Object.values(tags),
    paths: served,
    components: {
      schemas: slice === undefined ? schemas : usedBy([served, commonResponses], schemas),
      responses: commonResponses,
      securitySchemes: {
        [securitySchemes.credential]: bearer("A Room credential, issued by a member in the browser."),
        [securitySchemes.key]: bearer("A personal key, issued by a person for their own Library."),
        [securitySchemes.session]: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookie,
          description: "Set by signing in. Writes must come from a page of the service itself, by their Origin header.",
        },
      },
    },
  }
}

export type OpenApiDocument = ReturnType<typeof openApi>
