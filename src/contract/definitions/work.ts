/** The parts of experiments, plans, attempts and materials, and the tables of values that reports bring. */
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
} from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { CLEAN, COMMIT, DIGEST, DIMENSION, LOCATION, MATERIAL, REPOSITORY, SETTING, PLACE } from "../schema/patterns.ts"
import { ref } from "../schema/ref.ts"
import { described } from "../schema/validation.ts"

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

// A table of values in CSV that a report brings instead of metrics.

// The table of measurements that a checkpoint rests its answer on.

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
