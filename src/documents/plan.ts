/** An accepted plan: what to run, on which code, and its success criteria. */
import { writerName } from "../contract/answers/parts.ts"
import { reviewedInWords } from "../contract/answers/reviews.ts"
import { accepted } from "../contract/reads/shared.ts"
import type { Protocol } from "../contract/definitions/work.ts"
import { pathTo, type AnswerOf } from "../contract/reads/index.ts"
import { reviewsOf, linkTo, quoted, recordLine, inline, words, assemble, type DocumentSource } from "./writing.ts"
import { costsInWords, type Costs } from "../contract/answers/costs.ts"

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
