/** An experiment, its plan and an attempt: the question, what to run, the runs and their results. */
import { armsInWords } from "../contract/nouns/attempt-answers.ts"
import { writerName } from "../contract/answers/parts.ts"
import { termsInWords } from "../contract/nouns/experiments.ts"
import { pathTo, type AnswerOf } from "../contract/reads/index.ts"
import {
  pictureLines,
  linkTo,
  quoted,
  recordLine,
  inline,
  words,
  assemble,
  type DocumentSource,
  reviewsOf,
} from "./writing.ts"
import { reviewedInWords } from "../contract/nouns/reviews.ts"
import { accepted } from "../contract/operations/index.ts"
import type { Protocol } from "../contract/definitions/work.ts"
import { costsInWords, type Costs } from "../contract/answers/costs.ts"

type Attempt = Pick<AnswerOf<"attempt">, "metrics"> | Pick<AnswerOf<"attempts">["items"][number], "metrics">

const placeOf = (dimensions: Attempt["metrics"][number]["dimensions"]): string =>
  dimensions === null
    ? ""
    : ` at ${Object.entries(dimensions)
        .map(([dimension, value]) => `${dimension} ${inline(String(value), 64)}`)
        .join(", ")}`

const metric = ({ name, split, dimensions, value, unit, step }: Attempt["metrics"][number]): string =>
  `${name}${split === null ? "" : ` (${split})`}${placeOf(dimensions)} ${value}${unit === null ? "" : ` ${unit}`}` +
  `${step === null ? "" : ` at step ${step}`}`

/** How a reproduction's numbers compare with each effect, and what that counts as if its registrant says otherwise. */
const byNumbers = ({ verdict, repeats = [] }: NonNullable<AnswerOf<"attempt">["reproduction"]>): string => {
  const comparisons = repeats.flatMap(({ comparison, verdict: counted }) => {
    if (comparison === null) return []
    const counts = counted === null || counted === verdict ? "" : ` It counts as: ${words(counted)}.`
    return `${inline(comparison.sentence)}${counts}`
  })
  return comparisons.length === 0 ? "" : ` By the numbers: ${comparisons.join(" ")}`
}

const statement = (name: string, note: AnswerOf<"experiment">["handoff"]): string =>
  note === null ? "" : `\n${name} (${writerName(note.by)}, ${note.at.slice(0, 10)}):\n\n${quoted(note.text)}\n`

type Measured = AnswerOf<"experiment_measurements">["metrics"][number]

/** The values there are of a metric: "error (test) by arm, labels over seed, 16 attempts". */
function measured({ metric, split, attempts, dimensions }: Measured): string {
  const { by, over } = placesOf(dimensions)
  return (
    `${metric}${split === null ? "" : ` (${split})`}${by.length === 0 ? "" : ` by ${by.join(", ")}`}` +
    `${over === undefined ? "" : ` over ${over}`}, ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`
  )
}

/** The dimensions to group a metric's table by, and the one whose values are repetitions: the seed, if there is one. */
function placesOf(dimensions: Measured["dimensions"]): {
  readonly by: readonly string[]
  readonly over: string | undefined
} {
  const names = dimensions.map(({ dimension }) => dimension)
  return { by: names.filter((name) => name !== "seed"), over: names.find((name) => name === "seed") }
}

function tableOf(experimentId: string, { metric, split, dimensions }: Measured): string {
  const { by, over } = placesOf(dimensions)
  return pathTo(
    "experiment_measurements",
    { experimentId },
    {
      metric,
      ...(split !== null && { split }),
      ...(by.length > 0 && { by: by.join() }),
      ...(over !== undefined && { over }),
      format: "markdown",
    },
  )
}

export function experimentDocument(source: DocumentSource): string {
  const { basePath, ask } = source
  const experimentId = source.id("experimentId")
  const experiment = ask("experiment", { experimentId })
  const { label, status, assignee, proposer, question, scope, attempts, acceptedPlans, hypotheses, affordances } =
    experiment
  const runs = ask("attempts", {}, { experimentId, order: "label" }).items
  const findings = ask("experiment_findings", { experimentId }).items
  const link = (path: string) => `${basePath}${path}`
  const head = `# ${label}: ${inline(question, 300)}

Experiment ${experimentId}, \
${words(status)}${assignee === null ? "" : `, held by ${writerName(assignee)}${termsInWords(experiment)}`}, \
proposed by ${writerName(proposer)}, ${experiment.createdAt.slice(0, 10)}, \
in ${linkTo(source, "thread", experiment.threadId, "its Thread")} of \
${linkTo(source, "room", experiment.roomId, "its Room")}. Revision ${affordances.expected.expectedRevision}.

${quoted(question)}

Scope:

${quoted(scope)}
${statement("Handoff", experiment.handoff)}${statement("Conclusion", experiment.conclusion)}`
  return assemble(
    head,
    [
      {
        title: "Hypotheses it addresses",
        items: hypotheses.map((each) => recordLine(source, each)),
      },
      {
        title: "Plans",
        items: acceptedPlans.map(
          (plan) => `${linkTo(source, "plan", plan.planId, plan.label)}, accepted by ${writerName(plan.acceptedBy)}`,
        ),
      },
      {
        title: "Attempts and their results",
        items: runs.map(
          ({ attemptId, label: text, intent, status: state, failure, argv, metrics }) =>
            `${linkTo(source, "attempt", attemptId, text)} (${intent}), ` +
            `${words(state)}${failure === null ? "" : `: ${inline(`${failure.stage}: ${failure.explanation}`)}`}. ` +
            `${metrics.length === 0 ? "" : `${metrics.map(metric).join(", ")}. `}Run: ${inline(argv.join(" "), 200)}`,
        ),
        all: { link: link(pathTo("attempts", {}, { experimentId, order: "label" })), count: attempts.total },
      },
      {
        title: "Tables of measurements",
        items: ask("experiment_measurements", { experimentId }).metrics.map(
          (each) => `${inline(measured(each), 200)}: ${link(tableOf(experimentId, each))}`,
        ),
      },
      {
        title: "Findings",
        items: findings.map(
          ({ finding, towardQuestion, towardHypothesis, author, withdrawn }) =>
            `${linkTo(source, "finding", finding.versionId, finding.label, finding)} ` +
            `(${finding.status})${withdrawn === null ? "" : ", withdrawn"}: ${words(towardQuestion.verdict)} the ` +
            `question${towardHypothesis
              .map(({ verdict, label, part }) => `, ${verdict} ${label}${part === undefined ? "" : ` ${inline(part)}`}`)
              .join("")} ` +
            `(${writerName(author)}): ${inline(finding.wording)}`,
        ),
        all: { link: link(pathTo("experiment_findings", { experimentId })) },
      },
      {
        title: "Possible next operations",
        items: affordances.operations.map(({ operation, by }) => `${operation} (${words(by)})`),
      },
    ],
    link(pathTo("experiment", { experimentId })),
  )
}

export function attemptDocument(source: DocumentSource): string {
  const { basePath, ask } = source
  const attemptId = source.id("attemptId")
  const attempt = ask("attempt", { attemptId })
  const {
    label,
    intent,
    status,
    registrant,
    repository,
    argv,
    configuration,
    environment,
    planMatch,
    failure,
    reproduction,
  } = attempt
  const head = `# ${label}: ${words(intent)} attempt, ${words(status)}

Attempt ${attemptId} of ${linkTo(source, "experiment", attempt.experimentId, attempt.experimentLabel)}, \
by ${writerName(registrant)}, ${attempt.registeredAt.slice(0, 10)}. Revision ${attempt.revision}.
${failure === null ? "" : `\nIt failed, at ${inline(failure.stage)}:\n\n${quoted(failure.explanation)}\n`}\
${
  reproduction === null
    ? ""
    : `\nAs a reproduction: ${words(reproduction.verdict)}: ` +
      `${inline(reproduction.explanation)}${byNumbers(reproduction)}\n`
}
Commit ${repository.commit} of ${repository.url}

Command: ${inline(JSON.stringify(argv), 2_000)}

Configuration: ${inline(JSON.stringify(configuration), 2_000)}
${environment === null ? "" : `\nEnvironment: ${inline(JSON.stringify(environment), 1_000)}\n`}`
  return assemble(
    head,
    [
      {
        title: "Metrics, last values",
        items: [
          ...attempt.metrics.map(metric),
          ...(attempt.metrics.length === 0
            ? []
            : [`every point: ${basePath}${pathTo("attempt_metrics", { attemptId }, { format: "markdown" })}`]),
        ],
      },
      {
        title: "Outputs",
        items: attempt.outputs.map(
          ({ outputLabel, digest, description }) =>
            `${outputLabel}: ${digest}${description === undefined ? "" : ` ${inline(description)}`}`,
        ),
      },
      { title: "Arms of its plan", items: planMatch?.arms === undefined ? [] : [inline(armsInWords(planMatch.arms))] },
      {
        title: "Deviations from its plan",
        items: (planMatch?.deviations ?? []).map(
          ({ field, planned, registered }) =>
            `${field}: planned ${inline(JSON.stringify(planned), 200)}, ` +
            `registered ${inline(JSON.stringify(registered), 200)}`,
        ),
      },
      {
        title: "Inputs",
        items: attempt.inputs.map(
          ({ name, material }) =>
            `${name}${
              material === null
                ? ""
                : `: ${linkTo(source, "material", material.materialId, material.label, material)} ${material.reference}`
            }`,
        ),
      },
      {
        title: "Events",
        items: attempt.events.flatMap(({ event, receivedAt, late, message, exitCode, ...more }) => [
          `${receivedAt} ${words(event)}${late === true ? ", late" : ""}` +
            `${exitCode === undefined ? "" : `, exit code ${exitCode}`}` +
            `${message === undefined ? "" : `: ${inline(message)}`}`,
          ...pictureLines(source, more),
        ]),
      },
      {
        title: "Reproductions",
        items: attempt.reproductions.map(
          (each) =>
            `${linkTo(source, "attempt", each.attemptId, each.label, each)} by ${writerName(each.registrant)}: ` +
            `${words(each.reproduction?.verdict ?? each.status)}` +
            `${each.reproduction === null ? "" : byNumbers(each.reproduction)}`,
        ),
      },
    ],
    `${basePath}${pathTo("attempt", { attemptId })}`,
  )
}

// An accepted plan: what to run, on which code, and its success criteria.

const protocolOf = (protocol: unknown): Partial<Protocol> => (protocol === null ? {} : accepted("protocol", protocol))

/** The protocol's summary, and the state of its seal. */
function summaryOf({ protocol, sealed, protocolMatchesSeal: matches }: AnswerOf<"plan">): string {
  const summary = protocol === null ? [] : [quoted(accepted("protocol", protocol).summary)]
  if (sealed === null) return summary.join("")
  const { digest, opensAt, openedAt, overdue } = sealed
  const seal = `Its protocol was sealed with ${digest}, to be opened by ${opensAt.slice(0, 10)}`
  const agrees = matches === null ? "" : matches ? ", and it gives that digest" : ", and it does not give that digest"
  const state =
    openedAt !== null
      ? `; it was opened ${openedAt.slice(0, 10)}${agrees}.`
      : overdue
        ? "; it is overdue."
        : "; it is not shown yet."
  return [...summary, `${seal}${state}`].join("\n\n")
}

export function planDocument(source: DocumentSource): string {
  const { basePath, ask } = source
  const planId = source.id("planId")
  const plan = ask("plan", { planId })
  const { repository, intent } = accepted("plan", plan.content)
  const { steps = [], entrypoint, arms = [], configuration, successCriteria = [], ...rest } = protocolOf(plan.protocol)
  const { baselineRepeats: repeats } = rest
  const command = (argv: readonly string[]): string => inline(JSON.stringify(argv), 1_000)
  const head = `# ${plan.label}: ${words(intent)} plan for ${plan.experimentLabel}

Plan ${planId} for ${linkTo(source, "experiment", plan.experimentId, plan.experimentLabel)}, accepted by \
${writerName(plan.acceptedBy)}, ${plan.acceptedAt.slice(0, 10)}, ${reviewedInWords(plan.reviewed)}.

${summaryOf(plan)}

Commit ${repository.commit} of ${repository.url}
${costLine(plan.costs)}${entrypoint === undefined ? "" : `\nCommand: ${command(entrypoint.argv)}\n`}\
${repeats === undefined ? "" : `\nBefore anything else: ${repeats.runs} runs of ${inline(repeats.arm)}\n`}\
${configuration === undefined ? "" : `\nConfiguration: ${inline(JSON.stringify(configuration), 2_000)}\n`}`
  return assemble(
    head,
    [
      { title: "Steps", items: steps.map((step) => inline(step)) },
      {
        title: "Arms",
        items: arms.map(
          ({ name, argv, description }) =>
            `${name}: ${command(argv)}${description === undefined ? "" : ` ${inline(description)}`}`,
        ),
      },
      { title: "Success criteria", items: successCriteria.map((criterion) => inline(criterion)) },
      {
        title: "Hypotheses it tests",
        items: plan.hypotheses.map((each) => recordLine(source, each)),
      },
      {
        title: "Premises",
        items: plan.premises.map((each) => `${recordLine(source, each, 300)} ${inline(each.explanation)}`),
      },
      {
        title: "Materials it needs",
        items: plan.requiredMaterials.map(
          ({ material, purpose }) =>
            `${
              material === null
                ? "a material"
                : `${linkTo(source, "material", material.materialId, material.label, material)} ` +
                  `${inline(material.name)}`
            }: ${inline(purpose)}`,
        ),
      },
      { title: "Warnings", items: plan.warnings.map(({ code, message }) => `${code}: ${inline(message)}`) },
      reviewsOf(plan),
    ],
    `${basePath}${pathTo("plan", { planId })}`,
  )
}

/** Empty if no cost or budget was given. */
function costLine(costs: Costs): string {
  const words = costsInWords(costs)
  if (words === null) return ""
  const { took, allowed, over } = words
  return `\nCost, as reported: ${took ?? "nothing reported yet"}${allowed}.${over === null ? "" : ` ${over}`}\n`
}
