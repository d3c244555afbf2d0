/** What is answered about attempts: one, many, their points, and how they compare. */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"
import {
  id,
  optionalFreeText,
  freeText,
  count,
  attemptOutcome,
  at,
  logSize,
  orWithheld,
  type FreeText,
  withPictures,
} from "../answers/fields.ts"
import { comparison, scalar } from "../answers/measurements.ts"
import { author, affordances, schemaVersion, page } from "../answers/parts.ts"
import { cost } from "../answers/costs.ts"
import { fromOtherRoom, independence } from "../answers/evidence.ts"
import { materialSummary } from "./materials.ts"

const json = v.unknown()
const attemptStatus = v.picklist(enumerations.attemptStatus)

const planMatch = shape({
  planId: id,
  /** Whether the repositories are the same, ignoring `.git` at the end of the address. */
  repositoryMatchesPlan: v.boolean(),
  /** Whether both the repository and the commit are the same. */
  commitMatchesPlan: v.boolean(),
  /** Whether the command line is that of the entry point or of an arm; null if the plan names neither. */
  argvMatchesPlan: v.nullable(v.boolean()),
  /** `entrypoint`, an arm's name, or null if nothing matched. */
  argvComparedWith: optionalFreeText,
  /** Whether the command line is that of the entry point; false for every arm. */
  argvMatches: v.boolean(),
  materialsMatchPlan: v.boolean(),
  /** For one run of several arms: those of the plan that it covers and lacks, and the words that it adds. */
  arms: v.exactOptional(shape({ covers: v.array(freeText), missing: v.array(freeText), added: v.array(freeText) })),
  deviations: v.array(shape({ field: v.string(), planned: json, registered: json })),
})
/** Most arms or words of a list in a sentence. */
const SHOWN = 8

/** "covers arms baseline, shift; lacks cutout; adds mixup": one run of several arms beside those of its plan. */
export function armsInWords(arms: NonNullable<v.InferOutput<typeof planMatch>["arms"]>): string {
  const some = (what: string, names: readonly unknown[]): string[] => {
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ""
    return names.length === 0 ? [] : [`${what} ${names.slice(0, SHOWN).join(", ")}${more}`]
  }
  return [...some("covers arms", arms.covers), ...some("lacks", arms.missing), ...some("adds", arms.added)].join("; ")
}

const saidOfReproduction = {
  /** Given by its registrant. */
  verdict: v.picklist(enumerations.reproductionVerdict),
  explanation: freeText,
  /** What its registrant says of the code that it ran. */
  implementation: v.exactOptional(v.picklist(enumerations.implementation)),
}
const reproduction = shape({
  ...saidOfReproduction,
  /**
   * The effects of findings that it repeats, by their index, and how its own compare; they count towards those effects.
   */
  repeats: v.exactOptional(
    v.array(
      shape({
        versionId: id,
        effect: count,
        attemptIds: v.exactOptional(v.array(id)),
        pool: v.exactOptional(v.array(v.string())),
        /** By the numbers; null if its effect or the first one can no longer be computed. */
        verdict: v.nullable(v.picklist(enumerations.reproductionVerdict)),
        estimate: v.nullable(v.number()),
        low: v.nullable(v.number()),
        high: v.nullable(v.number()),
        comparison: v.nullable(comparison),
      }),
    ),
  ),
})
/** The identity and the state of an attempt. */
const attemptIdentity = {
  attemptId: id,
  label: v.string(),
  experimentId: id,
  experimentLabel: v.string(),
  roomId: id,
  registrant: author,
  intent: v.picklist(enumerations.attemptIntent),
  status: attemptStatus,
  outcome: v.nullable(attemptOutcome),
  registeredAt: at,
  updatedAt: at,
  /** Why it failed, as reported by its registrant; null if it has not failed. */
  failure: v.nullable(shape({ stage: freeText, explanation: freeText })),
}
const attemptFields = {
  ...attemptIdentity,
  threadId: id,
  entryId: id,
  revision: count,
  planId: v.nullable(id),
  rerunOf: v.nullable(id),
  reproduces: v.nullable(v.union([shape({ attemptId: id }), shape({ findingVersionId: id })])),
  /** The verdict on what it reproduces; null until there is an outcome. */
  reproduction: v.nullable(reproduction),
  contentDigest: v.string(),
  /** The cost that its registrant reported last. */
  cost: v.nullable(cost),
  planMatch: v.nullable(planMatch),
  affordances: affordances(attemptStatus),
  /** With findingVersionId: how the finding names the attempt. */
  role: v.exactOptional(v.picklist(enumerations.attemptRole)),
}
export const measured = v.union([v.number(), v.picklist(enumerations.nonFinite)])
const dimensions = v.record(v.string(), v.union([freeText, v.number(), v.boolean()]))
const lastValue = {
  name: freeText,
  split: optionalFreeText,
  /** Null if the value was reported without dimensions. */
  dimensions: v.nullable(dimensions),
  unit: optionalFreeText,
  step: v.nullable(count),
  value: measured,
}
export const attemptSummary = shape({
  ...attemptFields,
  argv: v.array(freeText),
  /** The last values of its first metrics by name; if metricsTruncated, the attempt's own read has more. */
  metrics: v.array(shape(lastValue)),
  metricsTruncated: v.boolean(),
})
export type AttemptSummary = v.InferOutput<typeof attemptSummary>
const {
  updatedAt: _updated,
  registeredAt: _registered,
  roomId: _room,
  failure: _failure,
  outcome: _outcome,
  ...named
} = attemptIdentity
/** One line of a Room's ledger. */
export const runRow = shape({
  ...named,
  /** The stage at which it failed. */
  failedAt: optionalFreeText,
  commit: v.string(),
  /** Its words without flags, which are among the settings. */
  command: freeText,
  settings: v.record(v.string(), freeText),
  moreSettings: v.exactOptional(count),
  /** The dimensions of what it reported, with their values. */
  measured: v.record(v.string(), freeText),
  seeds: optionalFreeText,
  /** Further findings that name it, which are not listed. */
  moreFindings: v.exactOptional(count),
  /** The findings that name it, with what their links say of hypotheses. */
  findings: v.array(
    shape({
      versionId: id,
      label: v.string(),
      role: v.picklist(enumerations.attemptRole),
      outcome: v.string(),
      verdicts: v.array(freeText),
      ...fromOtherRoom,
    }),
  ),
  reproduces: v.nullable(
    shape({
      kind: v.picklist(["attempt", "finding"]),
      id,
      label: v.string(),
      /** By the numbers where they were compared, else its registrant's. */
      verdict: v.nullable(v.picklist(enumerations.reproductionVerdict)),
      implementation: v.nullable(v.picklist(enumerations.implementation)),
      ...fromOtherRoom,
    }),
  ),
})
export type RunRow = v.InferOutput<typeof runRow>
/** A log that an attempt reported, newest first among those of its kind. */
const keptLog = { digest: v.string(), format: v.nullable(freeText), receivedAt: at, ...logSize }
/** Lines of a log, without escape sequences; a line that is longer than a read shows ends in "…". */
export const logPage = shape({
  schemaVersion,
  attemptId: id,
  ...keptLog,
  /** How many lines it has. */
  total: count,
  /** The logs that it reported before. */
  earlier: v.array(shape(keptLog)),
  lines: v.array(shape({ line: count, text: v.string() })),
  hasMore: v.boolean(),
  /** The line to read on from; null if there are no more. */
  nextFrom: v.nullable(count),
})
export const attempt = shape({
  schemaVersion,
  ...attemptFields,
  /** The newest log and session; null if none was reported, or it was withheld. */
  log: v.nullable(shape(keptLog)),
  session: v.nullable(shape(keptLog)),
  repository: shape({ url: v.string(), commit: v.string() }),
  argv: v.array(freeText),
  configuration: v.record(v.string(), json),
  environment: v.nullable(orWithheld<Record<string, FreeText>>(v.record(v.string(), freeText))),
  intendedDeviation: optionalFreeText,
  inputs: v.array(shape({ name: freeText, material: v.nullable(materialSummary) })),
  events: v.array(
    shape({
      event: v.string(),
      /** The server's clock. */
      receivedAt: at,
      revision: count,
      /** The registrant's clock. */
      reportedAt: v.nullable(at),
      message: v.exactOptional(freeText),
      /** Whether it came after the attempt had ended. */
      late: v.exactOptional(v.boolean()),
      exitCode: v.exactOptional(count),
      cost: v.exactOptional(cost),
      ...withPictures,
      log: v.exactOptional(shape({ digest: freeText })),
      session: v.exactOptional(shape({ digest: freeText, format: freeText })),
      failure: v.exactOptional(shape({ stage: freeText, explanation: freeText })),
      /** As it was reported. */
      reproduction: v.exactOptional(shape({ ...saidOfReproduction, repeats: v.exactOptional(json) })),
      /** Corrections of earlier events: units, or values that this event reports anew. */
      corrects: v.exactOptional(
        v.array(
          shape({
            metric: freeText,
            split: v.exactOptional(freeText),
            dimensions: v.exactOptional(dimensions),
            unit: v.exactOptional(freeText),
          }),
        ),
      ),
      client: v.exactOptional(v.record(v.string(), freeText)),
      metricPoints: v.exactOptional(count),
      outputLabels: v.exactOptional(v.array(freeText)),
    }),
  ),
  eventsTruncated: v.boolean(),
  /** For a reproduction whose verdict counts: how it differs from what it reproduces. */
  independence: v.exactOptional(independence),
  /** The newest reproductions of this attempt, with their verdicts. */
  reproductions: v.array(
    shape({
      attemptId: id,
      label: v.string(),
      roomId: id,
      status: attemptStatus,
      registrant: author,
      reproduction: v.nullable(reproduction),
      independence,
      ...fromOtherRoom,
    }),
  ),
  /** The last value of each combination of metric, split and dimensions, with its corrected unit if there is one. */
  metrics: v.array(shape({ ...lastValue, reportedAt: at })),
  /** Whether there are more metrics than these first ones by name. Another read has the points of all of them. */
  metricsTruncated: v.boolean(),
  outputs: v.array(
    shape({
      outputLabel: freeText,
      digest: v.string(),
      mediaType: v.exactOptional(freeText),
      sizeBytes: v.exactOptional(count),
      materialId: v.exactOptional(id),
      description: v.exactOptional(freeText),
      reportedAt: at,
      receivedAt: at,
    }),
  ),
  outputsTruncated: v.boolean(),
  content: v.record(v.string(), json),
})

export type AttemptAnswer = v.InferOutput<typeof attempt>

const { items: _items, ...envelope } = page(json).entries
export const metricColumns = shape({
  ...envelope,
  /** Never null: more points may come. */
  nextCursor: count,
  attemptId: id,
  columns: shape({
    ordinal: v.array(count),
    metric: v.array(freeText),
    split: v.array(optionalFreeText),
    dimensions: v.array(v.nullable(dimensions)),
    unit: v.array(optionalFreeText),
    step: v.array(v.nullable(count)),
    value: v.array(measured),
    reportedAt: v.array(at),
  }),
})

// The answers of the reads that compare attempts.

const series = { name: freeText, split: optionalFreeText, unit: optionalFreeText }

const last = shape({ step: v.nullable(count), value: measured })
/** The means of an attempt's last values of one metric, such as those of all seeds; arm is null if they name none. */
const means = shape({
  key: v.string(),
  unit: optionalFreeText,
  arms: v.array(shape({ arm: v.nullable(scalar), mean: measured, values: count })),
  moreArms: count,
})
export type Means = v.InferOutput<typeof means>

const row = shape({
  ...attemptIdentity,
  /** With setting and metric: the attempt's values of these two. */
  pair: v.exactOptional(shape({ setting: optionalFreeText, metric: v.nullable(last) })),
  /** Its last value of each metric among the columns, in their order; null if it reported none. */
  metrics: v.array(v.nullable(last)),
  /** The means of what it reported with dimensions; null if that, with the rows before it, is too many values. */
  means: v.exactOptional(v.nullable(v.array(means))),
  /** Its value of each setting among the columns, in their order; null if it has no such setting. */
  settings: v.array(optionalFreeText),
})

export const attemptTable = shape({
  ...page(row).entries,
  columns: shape({
    /** Metrics that the compared attempts report, the most frequent first; sort takes key after metric:. */
    metrics: v.array(shape({ key: v.string(), ...series, attempts: count })),
    metricsTruncated: v.boolean(),
    /** Settings in which the compared attempts differ, the most frequent first; sort takes key after setting:. */
    settings: v.array(shape({ key: freeText, attempts: count, values: count })),
    settingsTruncated: v.boolean(),
    sameSettings: count,
  }),
  /** Attempts that were sorted and searched for columns, the newest. */
  compared: count,
  comparedAll: v.boolean(),
  settingsCompared: count,
})
export type AttemptTable = v.InferOutput<typeof attemptTable>

export const attemptCurves = shape({
  schemaVersion,
  metric: freeText,
  split: optionalFreeText,
  curves: v.array(
    shape({
      attemptId: id,
      label: v.string(),
      unit: optionalFreeText,
      /** Points that were reported. The columns hold those needed to draw the curve. */
      points: count,
      /** The lowest and the highest step reported; null without points. */
      fromStep: v.nullable(count),
      toStep: v.nullable(count),
      /**
       * Steps in one interval. Of each interval, the ends, the extremes and the first value that is not finite are
       * kept.
       */
      stretch: count,
      columns: shape({ step: v.array(count), value: v.array(measured) }),
    }),
  ),
})
