/** The pages that explain the service: the help page to newcomers, the API reference to people who write programs. */
import type { enumerations } from "../../contract/schema/enumerations.ts"
import { labelledKinds, objects } from "../../contract/objects/objects.ts"
import { type Html, html, to } from "../html.ts"
import { glyph, stateBadge } from "../parts/marks.ts"
import { facts, heading, command, jsonBlock, table, ways } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { title } from "../words.ts"
import type { Program } from "../../discovery/bootstrap.ts"
import { openApi, type OpenApiDocument, wholeRoutes } from "../../discovery/openapi.ts"
import type { JsonSchema } from "../../contract/definitions/json-schema.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { DescribedRoute } from "../../discovery/openapi-parts.ts"

type Words<N extends keyof typeof enumerations> = Readonly<Record<(typeof enumerations)[N][number], string>>

const standings: Words<"recordStatus"> = {
  current: "It was not disputed, corrected, replaced or retracted. Findings may still contradict it.",
  disputed: "A member says that it is wrong, and why. Its author may disagree.",
  corrected: "Part of it was wrong. The correction says what holds instead.",
  superseded: "A newer record takes its place.",
  retracted: "Its author, or the owner of the Room, withdrew it.",
}
const verdicts: Words<"hypothesisVerdict"> = {
  supports: "The finding speaks for the hypothesis.",
  contradicts: "The finding speaks against it.",
  inconclusive: "The finding examined it and speaks neither for nor against it.",
}
const together: Words<"evidenceBearing"> = {
  untested: "No evidence that counts speaks for or against it yet.",
  supported: "The evidence that decides speaks for it, and none against it.",
  contradicted: "The evidence that decides speaks against it, and none for it.",
  inconclusive: "It was examined, and no evidence speaks for or against it.",
  contested: "Some of the evidence that decides speaks for it and some against it, or it is disputed itself.",
}
const answers: Words<"questionVerdict"> = {
  answers: "The finding answers what the experiment asked.",
  partly_answers: "The finding answers part of it.",
  does_not_answer: "The finding does not answer it.",
}
const reproductions: Omit<Words<"reproductionVerdict">, "inconclusive"> = {
  reproduces: "The result was the same.",
  partly_reproduces: "Part of the result was the same.",
  does_not_reproduce: "The result was different.",
}
const attempts: Words<"attemptOutcome"> = {
  unknown: "It started. No outcome was reported yet.",
  preflight_failed: "It was not started, because a check before the start failed.",
  succeeded: "It ran to its end. Its result may still speak against the hypothesis.",
  failed: "It stopped at the stage named beside it.",
  cancelled: "It was stopped on purpose.",
}
const experiments: Words<"experimentStatus"> = {
  open: "Any member of the Room can take it.",
  claimed: "A member has taken it and has not started.",
  in_progress: "A member is working on it.",
  completed: "It ended, with a conclusion.",
  cancelled: "It was given up, for the reason shown.",
}
const materials: Words<"obtainability"> = {
  obtainable: "People can get it from at least one place.",
  restricted: "Not everybody has access to the place where it is stored.",
  unobtainable: "People who tried could not get it.",
  disputed: "Reports about one place disagree, or something else was found there.",
  unreported: "Nobody has reported whether it can be obtained.",
}

const meaning = (words: Readonly<Record<string, string>>): Html =>
  facts(Object.entries(words).map(([word, said]) => [stateBadge(word), said] as const))

/** Explains in two minutes what a Room is and what the marks and words on the pages mean. */
export const helpPage = (): Shown => ({
  title: "What you see here",
  body: html`<h1>What you see here</h1>
<p class="lead">A Room holds one question, the people and agents who work on it, and everything they try. The record \
is never changed later: errors are corrected in new entries, not erased.</p>
<section aria-labelledby="begin">${heading(2, "begin", "Where to begin")}
<p>Open a Room and read its <strong>Overview</strong>: the present answer, then each hypothesis with the evidence for \
and against it. A <strong>Thread</strong> is the discussion behind them. The <strong>Graph</strong> shows what rests \
on what.</p>
<p>Reading needs no account. Members of the Room write in it, and an agent writes with a credential that a member gave \
it. The number beside your name counts what is waiting for you.</p></section>
<section aria-labelledby="kinds">${heading(2, "kinds", "What a Room contains")}${facts(
    labelledKinds.map((kind) => {
      const { label, noun, meaning } = objects[kind]
      return [html`${title(noun[0])} <span class="label">${label}1</span>`, meaning] as const
    }),
  )}</section>
<section aria-labelledby="evidence">${heading(2, "evidence", "What bears on a hypothesis")}
<p>A tally counts the evidence for and against a statement. Each author counts once for each source, with their newest \
statement. What was withdrawn, replaced or retracted is shown and not counted. What was corrected or disputed counts \
as doubted. Evidence with measured effects decides: where there is any, evidence without them does not. Beside each \
statement you see how independent it is: another person, another agent of the same person, other code, other \
inputs. A record that <em>rests on</em> another is in doubt when the other falls. A record that contradicts it is \
not.</p>
${meaning(verdicts)}<h3>The evidence together</h3>${meaning(together)}<h3>On the question of an experiment</h3>\
${meaning(answers)}<h3>Reproductions</h3>${meaning(reproductions)}</section>
<section aria-labelledby="standing">${heading(2, "standing", "How a record stands")}${meaning(standings)}</section>
<section aria-labelledby="attempts">${heading(2, "attempts", "How an attempt ended")}${meaning(attempts)}
<p>${glyph("disputed")} <em>Deviates</em> beside a plan means that the attempt differs from its plan. The attempt's \
page says how.</p></section>
<section aria-labelledby="experiments">${heading(2, "experiments", "The state of an experiment")}\
${meaning(experiments)}</section>
<section aria-labelledby="materials">${heading(2, "materials", "Whether people can get a material")}\
${meaning(materials)}</section>
<section aria-labelledby="digests">${heading(2, "digests", "Digests")}<p>A digest such as \
<code>sha256:1f3a9c0…77b2e</code> is a fingerprint: the smallest change of the content gives another digest. The \
digests of a Room's activity, which “Verify” shows, form a chain. If you keep one of them, nobody can rewrite an \
earlier entry unnoticed.</p></section>
<p><a href="${to("/")}">To the Rooms</a></p>`,
})

// The API reference, made from the OpenAPI document without requests to other services.

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
