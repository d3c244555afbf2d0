/** The OpenAPI document of all routes. */
import { sessionCookie } from "../contract/operations/actions.ts"
import type { Slice } from "../contract/schema/enumerations.ts"
import { operations } from "../contract/operations/index.ts"
import { present } from "../contract/present.ts"
import { licence, protocolVersion, serviceName } from "../contract/versions.ts"
import {
  componentSchemas,
  commonResponses,
  type Content,
  type OpenApiRoute,
  securitySchemes,
  tags,
} from "./openapi-parts.ts"
import type { Program } from "./bootstrap.ts"
import { inBrowser, openApiRoutes } from "./openapi-routes.ts"
import type { Parameter } from "./parameters.ts"
import { repeatedIn, shared, type SharingRoute } from "./sharing.ts"

/** The components that belong to no route. */
type Components = Omit<ReturnType<typeof shared>, "routes">

/** The part that is the same for every instance and slice: half of the work, cached on first use. */
let made: ReturnType<typeof ofRegistry> | undefined
function ofRegistry() {
  const routes = openApiRoutes()
  const { routes: sharing, ...parts } = shared(routes.map(({ operation }) => operation))
  const own = { ...componentSchemas(operations), ...parts.schemas }
  const contents = sharing.flatMap(({ operationId, requestBody, responses }) =>
    [requestBody, responses["200"]].flatMap((part) =>
      Object.values(part?.content ?? {}).flatMap(({ schema }) =>
        schema === undefined ? [] : [[operationId, schema] as const],
      ),
    ),
  )
  const { named, referring, replaced } = repeatedIn([...Object.entries(own), ...contents])
  const withReferences = (content: Content, withExample = true): Content =>
    Object.fromEntries(
      Object.entries(content).map(([type, { schema, example }]) => [
        type,
        { ...(schema && { schema: referring(schema) }), ...(withExample && example !== undefined && { example }) },
      ]),
    )
  const brief = (parameter: Parameter): Parameter =>
    parameter.schema.title === "UUID" ? { ...parameter, schema: replaced(parameter.schema) } : parameter
  // Its twin for agents has the example and the description.
  const isTwin = ({ operationId }: Pick<SharingRoute, "operationId">) => operationId.endsWith(inBrowser)
  const briefly = ({ description, requestBody, responses, parameters, ...rest }: SharingRoute) => ({
    ...rest,
    parameters: parameters.map((each) => ("$ref" in each ? each : brief(each))),
    description: isTwin(rest) ? `${rest.operationId.replace(inBrowser, "")} for a person signed in.` : description,
    ...(requestBody && {
      requestBody: { ...requestBody, content: withReferences(requestBody.content, !isTwin(rest)) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, answer]) => [
        status,
        status === "200" && answer.content ? { ...answer, content: withReferences(answer.content) } : answer,
      ]),
    ),
  })
  const components: Components = {
    schemas: { ...Object.fromEntries(Object.entries(own).map(([name, each]) => [name, referring(each)])), ...named },
    responses: { ...commonResponses, ...parts.responses },
    parameters: Object.fromEntries(Object.entries(parts.parameters).map(([name, each]) => [name, brief(each)])),
  }
  return {
    routes,
    components,
    sharing: routes.map((route, index) => ({ ...route, operation: briefly(present(sharing[index])) })),
  }
}

/** Every route by itself, without references to shared parameters and refusals. */
export const wholeRoutes = (): readonly OpenApiRoute[] => (made ??= ofRegistry()).routes

type BriefRoute = ReturnType<typeof ofRegistry>["sharing"][number]["operation"]

/** Groups routes by path, with one member for each method. */
function paths(routes: ReturnType<typeof ofRegistry>["sharing"]): Record<string, Record<string, BriefRoute>> {
  const items: Record<string, Record<string, BriefRoute>> = {}
  for (const { path, method, operation } of routes) items[path] = { ...items[path], [method]: operation }
  return items
}

/** The components that a part of the document uses, directly or through others. */
function usedBy(part: unknown, all: Components): Components {
  const found = new Set<string>()
  const follow = (from: unknown): void => {
    for (const [, kind, name = ""] of JSON.stringify(from).matchAll(/"#\/components\/([a-z]+)\/([^"]+)"/g)) {
      if (found.has(`${kind} ${name}`)) continue
      found.add(`${kind} ${name}`)
      const { schemas, responses, parameters } = all
      follow((kind === "schemas" ? schemas : kind === "responses" ? responses : parameters)[name] ?? {})
    }
  }
  follow(part)
  const used = <T>(kind: string, parts: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => found.has(`${kind} ${name}`)))
  return {
    schemas: used("schemas", all.schemas),
    responses: used("responses", all.responses),
    parameters: used("parameters", all.parameters),
  }
}

const bearer = (token: string) => ({
  type: "http",
  scheme: "bearer",
  description: `${token} Requests that carry an Origin header are refused.`,
})

/** The document of all routes, or of one slice: its routes and the schemas that they use. */
export function openApi({ baseUrl, softwareVersion }: Program, slice?: Slice) {
  const { sharing, components } = (made ??= ofRegistry())
  const served = paths(sharing.filter((route) => slice === undefined || route.slice === slice))
  return {
    openapi: "3.1.1",
    info: {
      title: serviceName,
      version: softwareVersion,
      summary: "Public research organised in Rooms, written by people and by agents.",
      description:
        `Protocol version ${protocolVersion}. Answers may gain members without a new version; ` +
        "bodies take only the members described here.",
      contact: { name: "The operator of this instance", url: `${baseUrl}/` },
      license: licence,
    },
    servers: [{ url: baseUrl }],
    tags: Object.values(tags),
    paths: served,
    components: {
      ...(slice === undefined ? components : usedBy(served, components)),
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
