/** The API reference for people, made from the OpenAPI document without requests to other services. */
import type { Program } from "../../discovery/bootstrap.ts"
import { openApi, type OpenApiDocument, wholeRoutes } from "../../discovery/openapi.ts"
import type { JsonSchema } from "../../contract/definitions/json-schema.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { type Html, html, to } from "../html.ts"
import { command, heading, jsonBlock, table, ways } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import type { DescribedRoute } from "../../discovery/openapi-parts.ts"

type Route = DescribedRoute & { readonly path: string; readonly method: string }

/** The document of each instance, made at its first use. */
const documents = new WeakMap<
  object,
  { readonly document: OpenApiDocument; readonly routes: ReadonlyMap<string, Route> }
>()
function described(edge: Program) {
  const known = documents.get(edge)
  if (known !== undefined) return known
  const document = openApi(edge)
  const all = wholeRoutes().map(({ path, method, operation }): [string, Route] => [
    operation.operationId,
    { ...operation, path, method: method.toUpperCase() },
  ])
  const reference = { document, routes: new Map(all) }
  documents.set(edge, reference)
  return reference
}

const anchor = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]+/g, "-")

/** The page with all routes by topic. */
export function referencePage({ edge }: Visit): Shown {
  const { document, routes } = described(edge)
  const sections = document.tags.map(({ name, description }) => {
    const rows = [...routes.values()]
      .filter(({ tags }) => tags.includes(name))
      .map(
        ({ operationId, method, path, summary }) =>
          html`<tr><td><a href="${to(`/reference/${operationId}`)}"><code>${operationId}</code></a></td><td>\
<code>${method}</code></td><td><code>${path}</code></td><td>${summary}</td></tr>`,
      )
    return html`<section aria-labelledby="${anchor(name)}">${heading(2, anchor(name), name)}<p>${description}</p>\
${table(name, ["Name", "Method", "Path", "What it does"], rows)}</section>`
  })
  return {
    title: "API reference",
    wide: true,
    json: "/api/openapi.json",
    body: html`<h1>API reference</h1>
<p class="lead">All requests that programs can send to this service. Programs read the same at \
<a href="${to("/api/manifest")}"><code>/api/manifest</code></a> and <a href="${to("/api/openapi.json")}">\
<code>/api/openapi.json</code></a>; agents start at <a href="${to("/llms.txt")}"><code>/llms.txt</code></a>.</p>
${sections}`,
  }
}

const nameOf = ($ref: string): string => $ref.split("/").at(-1) ?? ""

type Schemas = OpenApiDocument["components"]["schemas"]

/** The shared schema that a reference names, unless it is an object, whose name says more than "object". */
const simple = ({ $ref }: JsonSchema, all: Schemas): JsonSchema | undefined => {
  const found = $ref === undefined ? undefined : all[nameOf(String($ref))]
  return found === undefined || found.type === "object" || found.properties !== undefined ? undefined : found
}

/** Returns the type of a value in a few words. */
function typeOf(schema: JsonSchema, all: Schemas): string {
  const { $ref, type, enum: options, items, const: fixed, oneOf, anyOf, format, title } = simple(schema, all) ?? schema
  if ($ref !== undefined) return nameOf(String($ref))
  if (fixed !== undefined) return JSON.stringify(fixed)
  if (options !== undefined) return options.join(", ")
  if (type === "array") return `list of ${items === undefined ? "anything" : typeOf(items, all)}`
  const either = oneOf ?? anyOf
  if (either !== undefined) return [...new Set(either.map((each) => typeOf(each, all)))].join(" or ")
  return [title ?? format ?? type ?? "anything"].flat().join(" or ")
}

function fields(schema: JsonSchema, all: Schemas, caption: string): Html {
  const { properties = {}, required = [] } =
    schema.$ref === undefined ? schema : (all[nameOf(String(schema.$ref))] ?? {})
  const rows = Object.entries(properties).map(
    ([name, inner]) =>
      html`<tr><td><code>${name}</code></td><td>${required.includes(name) ? "yes" : "no"}</td>\
<td>${typeOf(inner, all)}</td><td>${inner.description ?? simple(inner, all)?.description}</td></tr>`,
  )
  return rows.length === 0 ? html`` : table(caption, ["Member", "Required", "Type", "What it is"], rows)
}

function curl({ method, path, security, requestBody }: Route, baseUrl: string): string {
  const scheme = Object.keys(security[0] ?? {})[0]
  const bearer = scheme === "roomCredential" || scheme === "personalKey" ? ` -H "Authorization: Bearer $TOKEN"` : ""
  const address = `"${baseUrl}${path.replace(
    /\{([a-zA-Z]+)\}/g,
    (_, name: string) => `$${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
  )}"`
  const body = requestBody === undefined ? "" : ` -H "Content-Type: application/json" -d @body.json`
  return (
    `curl -sS${method === "GET" || (method === "POST" && body !== "") ? "" : ` -X ${method}`} ` +
    `${address}${bearer}${body}`
  )
}

/** The page of a route: its parameters, body and answers. @throws Refusal 404 */
export function referenceOperationPage({ edge, id }: Visit): Shown {
  const { document, routes } = described(edge)
  const route = routes.get(id("operationId"))
  if (route === undefined) throw new Refusal("unknown_operation", "There is no route with this name.")
  const { schemas, responses: common } = document.components
  const { operationId, method, path, description, parameters, requestBody, responses, tags } = route
  const sent = requestBody?.content["application/json"]
  const answers = Object.entries(responses).map(([status, response]) => {
    const answer = response.$ref === undefined ? response : (common[nameOf(response.$ref)] ?? response)
    const types = Object.keys(answer.content ?? {}).join(", ")
    return html`<tr><td>${status}</td><td>${answer.description?.replaceAll("`", "")}</td><td>${types}</td></tr>`
  })
  const answered = responses["200"]?.content?.["application/json"]?.schema
  const rows = parameters.map(
    ({ name, in: where, required, description: what, schema }) =>
      html`<tr><td><code>${name}</code></td><td>${where}</td><td>${required === true ? "yes" : "no"}</td>\
<td>${schema === undefined ? "" : typeOf(schema, schemas)}</td><td>${what ?? schema?.description}</td></tr>`,
  )
  return {
    title: `${operationId} · API reference`,
    wide: true,
    json: "/api/openapi.json",
    body: html`<p class="meta"><a href="${to("/reference")}">API reference</a> <span>${tags.join(", ")}</span></p><h1>\
<code>${operationId}</code></h1>
<p class="lead">${description}</p><p><code>${method} ${path}</code></p>${command(curl(route, edge.baseUrl))}
${
  rows.length === 0
    ? null
    : html`<section aria-labelledby="parameters">${heading(2, "parameters", "Parameters")}\
${table("Parameters", ["Name", "In", "Required", "Type", "What it is"], rows)}</section>`
}
${
  sent?.schema === undefined
    ? null
    : html`<section aria-labelledby="body">${heading(2, "body", "Body")}${fields(sent.schema, schemas, "Body")}${
        sent.example === undefined
          ? null
          : html`<details open><summary>An example</summary>${jsonBlock(sent.example)}</details>`
      }<details><summary>Its JSON Schema</summary>\
${jsonBlock(sent.schema.$ref === undefined ? sent.schema : schemas[nameOf(String(sent.schema.$ref))])}</details>\
</section>`
}
<section aria-labelledby="answers">${heading(2, "answers", "Answers")}\
${table("Answers", ["Status", "What it is", "Media type"], answers)}${
  answered === undefined ? null : fields(answered, schemas, "Members of the answer")
}</section>
${ways([["OpenAPI", "/api/openapi.json"]])}`,
  }
}
