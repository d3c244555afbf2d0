/**
 * The parts of the bodies that research is written in: of experiments, plans, attempts and materials, with the tables
 * of values that reports bring, and of hypotheses, findings and cited claims.
 */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import {
  dictionary,
  distinct,
  distinctBy,
  list,
  oneOf,
  plain,
  shape,
  text,
  wellFormed,
  whole,
  CLEAN,
  COMMIT,
  DIGEST,
  DIMENSION,
  LOCATION,
  MATERIAL,
  REPOSITORY,
  SETTING,
  PLACE,
  decimal,
  key,
  variant,
} from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { ref } from "../schema/parts.ts"
import { described } from "../schema/validation.ts"
import { isObject } from "../json.ts"
import type { Issue } from "../refusals.ts"

const matching = (pattern: RegExp, what: string, max = 2_000) =>
  v.pipe(
    v.string("must be a string"),
    v.regex(pattern, `must be ${what}`),
    wellFormed,
    v.maxCodePoints(max, `must have at most ${max} characters`),
  )

export const digest = matching(DIGEST, "sha256: and 64 lower-case hex digits")

/** A public repository and a full commit in it. */
export const repository = shape({
  url: v.pipe(matching(REPOSITORY, "https://<host>/<owner>/<name>", 500), v.metadata({ format: "uri" })),
  commit: matching(COMMIT, "a full commit: 40 or 64 lower-case hex digits"),
})
export type RepositoryPin = v.InferOutput<typeof repository>

/** Content-addressed, or pinned to a commit. */
export const materialReference = matching(
  MATERIAL,
  "sha256:<64 hex>, hf://<models, datasets or spaces>/<owner>/<name>@<40 hex>[/path] or " +
    "git://<host>/<owner>/<name>@<40 or 64 hex>[/path]",
)

/**
 * The reported location of a material. The service never opens it. Locations are public, so the part before the path
 * must name a host and no user: `@` is refused there, and so is a backslash, which browsers read as a slash.
 */
export const locationUri = matching(
  LOCATION,
  "an https, s3, gs, hf, git, doi or ipfs address without a user or password",
)

const cleanText = v.pipe(v.string("must be a string"), v.regex(CLEAN, "must be a string without NUL"), wellFormed)

/** Any JSON value whose strings contain neither NUL nor lone surrogates. */
export const json: v.GenericSchema<unknown> = v.union(
  [
    cleanText,
    v.pipe(v.number(), v.finite()),
    v.boolean(),
    v.null(),
    v.array(v.lazy(() => json)),
    dictionary(
      v.lazy(() => json),
      cleanText,
    ),
  ],
  "must be a JSON value whose strings hold no NUL and no lone surrogate",
)

/** The configuration of an execution: an object of any shape. */
export const configuration = dictionary(json, cleanText)

export const environment = dictionary(plain(limits.explanation, 0), plain(limits.name))

/** A command line: the program and its arguments. */
export const argv = list(plain(limits.statement, 0), limits.argv, 1)

/** How work is to be done: with one entry point, or with several arms that differ in their command lines. */
export const protocol = shape({
  summary: text(limits.statement),
  steps: list(text(limits.explanation), limits.protocolSteps),
  entrypoint: v.exactOptional(shape({ argv })),
  arms: distinctBy(
    list(
      shape({ name: text(limits.name), argv, description: v.exactOptional(text(limits.explanation)) }),
      limits.protocolArms,
    ),
    "name",
  ),
  /** Runs of one arm, which show what the same code and settings differ by before anything is compared. */
  baselineRepeats: v.exactOptional(shape({ arm: text(limits.name), runs: whole(2) })),
  configuration: v.exactOptional(configuration),
  successCriteria: v.exactOptional(list(text(limits.explanation), limits.protocolSteps)),
})
export type Protocol = v.InferOutput<typeof protocol>

export const hypotheses = distinct(ref("hypothesis"), limits.references)

export const requiredMaterials = list(
  shape({ materialId: ref("material"), purpose: text(limits.explanation) }),
  limits.materials,
)

/** What the caller read of an experiment or attempt: the concurrency guard of every change to it. */
export const expectedExperiment = { expectedRevision: whole(1), expectedStatus: oneOf(enumerations.experimentStatus) }
export const expectedAttempt = { expectedRevision: whole(1), expectedStatus: oneOf(enumerations.attemptStatus) }

/** A measured value. A diverged run may report NaN or an infinity. */
const measured = v.union(
  [v.pipe(v.number(), v.finite()), oneOf(enumerations.nonFinite)],
  `must be a number or one of ${enumerations.nonFinite.join(", ")}`,
)

/** The name of a dimension, such as `arm` or `seed`. */
export const dimensionName = v.pipe(
  v.string("must be a string"),
  v.title("key"),
  v.regex(DIMENSION, "must be a dimension such as arm or seed"),
)

/** The dimensions of a value: its arm, its seed, its size. */
export const dimensions = v.pipe(
  dictionary(
    v.union(
      [plain(limits.dimensionText), v.pipe(v.number(), v.finite()), v.boolean()],
      `must be a string of at most ${limits.dimensionText} characters, a number or a boolean`,
    ),
    dimensionName,
  ),
  v.maxEntries(limits.dimensions, `must have at most ${limits.dimensions} dimensions`),
)

/** Settings whose values are merged. */
export const pool = distinct(
  v.pipe(v.string("must be a string"), v.regex(SETTING, "must be a setting, such as updates")),
  limits.dimensions,
  1,
)

export const metric = shape({
  name: plain(limits.name),
  value: measured,
  unit: v.exactOptional(plain(limits.unit)),
  step: v.exactOptional(described(whole(), "The time within the run; a seed is a dimension.")),
  split: v.exactOptional(plain(limits.name)),
  dimensions: v.exactOptional(dimensions),
})
export const metrics = list(metric, limits.metricsOfEvent)

/**
 * A correction of a metric in earlier events: the correct unit, or the value that the metrics of this event give for
 * it.
 */
export const corrects = list(
  shape({
    metric: plain(limits.name),
    split: v.exactOptional(plain(limits.name)),
    dimensions: v.exactOptional(dimensions),
    unit: v.exactOptional(plain(limits.unit)),
  }),
  limits.correctedMetrics,
)

export const outputs = list(
  shape({
    outputLabel: plain(limits.name),
    digest,
    mediaType: v.exactOptional(plain(limits.name)),
    sizeBytes: v.exactOptional(whole()),
    materialId: v.exactOptional(ref("material")),
    description: v.exactOptional(text(limits.explanation)),
  }),
  limits.outputsOfEvent,
)

/** Normalises the address of a repository. */
export const addressOf = ({ url }: { readonly url: string }): string => url.toLowerCase().replace(/\.git$/, "")

// Tables: the one of measurements that a checkpoint rests its answer on, and one in CSV that a report brings.

const some = v.exactOptional

export const tableQuestion = shape({
  metric: plain(limits.name),
  split: some(plain(limits.name)),
  by: distinct(dimensionName, limits.dimensions, 1),
  over: some(dimensionName),
  against: some(
    described(
      v.pipe(v.string("must be a string"), v.regex(PLACE, "must be a dimension and a value, such as arm:baseline")),
      "The group that the others are compared with.",
    ),
  ),
  where: some(dimensions),
  pool: some(pool),
  experimentIds: some(distinct(ref("experiment"), limits.references, 1)),
})
export type TableQuestion = v.InferOutput<typeof tableQuestion>

/**
 * The columns `by` are dimensions though they hold numbers; the cells `missing` stand for a missing value; `metric`
 * names the metric of a table that does not name it, as of TensorBoard.
 */
export const table = described(
  shape({
    csv: text(limits.pastedTable),
    by: v.exactOptional(list(plain(limits.name), limits.dimensions)),
    missing: v.exactOptional(list(plain(limits.unit), limits.missingCells)),
    metric: v.exactOptional(plain(limits.name)),
  }),
  "Metrics as a CSV table, instead of metrics. The receipt says in readAs how it was read: rehearse it first.",
)

// Hypotheses, findings and cited claims.

const concept = shape({ type: v.literal("concept"), key })
const conceptRef = shape({ type: v.literal("concept_ref"), versionId: ref("record"), key })

const roleValue = variant("type", [
  concept,
  conceptRef,
  shape({ type: v.literal("record"), versionId: ref("record") }),
  shape({ type: v.literal("text"), value: text(limits.roleText) }),
  shape({ type: v.literal("decimal"), value: decimal, unit: plain(limits.unit) }),
  shape({ type: v.literal("boolean"), value: v.boolean("must be true or false") }),
])

export const assertion = shape({
  wording: text(limits.statement),
  predicate: variant("type", [concept, conceptRef]),
  roles: distinctBy(
    list(
      shape({ role: key, definition: text(limits.roleDefinition), value: roleValue }),
      limits.rolesMax,
      limits.rolesMin,
    ),
    "role",
  ),
})
export type Assertion = v.InferOutput<typeof assertion>

export const concepts = dictionary(
  shape({ label: text(limits.conceptLabel), definition: text(limits.conceptDefinition) }),
)
export type Concepts = v.InferOutput<typeof concepts>

export const scope = text(limits.statement)

export const premises = list(
  shape({ versionId: ref("record"), explanation: text(limits.explanation) }),
  limits.premises,
)

export const references = list(
  shape({
    versionId: ref("record"),
    purpose: oneOf(enumerations.referencePurpose),
    explanation: text(limits.explanation),
  }),
  limits.references,
)

/**
 * Finds the terms of an assertion whose concepts the record does not declare. Any input is accepted; only an assertion
 * has terms.
 */
export function undeclaredIn(body: unknown): Issue[] {
  const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)
  const declared = member(body, "concepts")
  const term = (value: unknown, path: string): Issue[] => {
    const conceptKey = member(value, "key")
    const isOwn = member(value, "type") === "concept" && typeof conceptKey === "string"
    const isDeclared = typeof declared === "object" && declared !== null && isOwn && Object.hasOwn(declared, conceptKey)
    return isOwn && !isDeclared ? [{ path: `${path}/key`, message: "is not declared in concepts" }] : []
  }
  const asserted = member(body, "assertion")
  const roles = member(asserted, "roles")
  return [
    ...term(member(asserted, "predicate"), "/assertion/predicate"),
    ...(Array.isArray(roles) ? roles.slice(0, limits.rolesMax) : []).flatMap((role, position) =>
      term(member(role, "value"), `/assertion/roles/${position}/value`),
    ),
  ]
}
