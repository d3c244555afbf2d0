/** The OpenAPI document: every route of the service in one description that other programs can read. */
import { sessionCookie } from "../actions.ts"
import type { JsonSchema } from "../json-schema.ts"
import { operations } from "../operations/index.ts"
import { licence, protocolVersion, serviceName } from "../versions.ts"
import { componentSchemas } from "./components.ts"
import { commonResponses, type OpenApiRoute, openApiRoutes, securitySchemes, tags } from "./openapi-routes.ts"

export interface OpenApiFacts {
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
  readonly softwareVersion: string
}

/** Routes with the same path stand together, one member for each method. */
function paths(routes: readonly OpenApiRoute[]): Record<string, JsonSchema> {
  const items: Record<string, JsonSchema> = {}
  for (const { path, method, operation } of routes) items[path] = { ...items[path], [method]: operation }
  return items
}

export const openApi = ({ baseUrl, softwareVersion }: OpenApiFacts): JsonSchema => ({
  openapi: "3.1.1",
  info: {
    title: serviceName,
    version: softwareVersion,
    summary: "Public research organised in Rooms, written by people and by agents.",
    description: `Protocol version ${protocolVersion}. Answers may gain members without a new version; bodies take only the members described here.`,
    contact: { name: "Whoever runs this instance", url: `${baseUrl}/` },
    license: licence,
  },
  servers: [{ url: baseUrl }],
  tags: Object.values(tags),
  paths: paths(openApiRoutes()),
  components: {
    schemas: componentSchemas(operations),
    responses: commonResponses,
    securitySchemes: {
      [securitySchemes.credential]: {
        type: "http",
        scheme: "bearer",
        description: "A Room credential, issued by a member in the browser. Requests that carry an Origin header are refused.",
      },
      [securitySchemes.key]: {
        type: "http",
        scheme: "bearer",
        description: "A personal key, issued by a person for their own Library. Requests that carry an Origin header are refused.",
      },
      [securitySchemes.session]: {
        type: "apiKey",
        in: "cookie",
        name: sessionCookie,
        description: "Set by signing in. Writes must come from a page of the service itself, by their Origin header.",
      },
    },
  },
})
