/** An accepted plan: what is to be run, on which code, and what would count as an answer. */
import { writerName } from "../contract/answers/parts.ts"
import { reviewedInWords } from "../contract/answers/reviews.ts"
import { accepted } from "../contract/reads/accepted.ts"
import { pathTo } from "../contract/reads/index.ts"
import { reviewsOf } from "./reviews.ts"
import { type Asking, named, quoted, said, words, written } from "./writing.ts"

export function planDocument(asking: Asking): string {
  const { basePath, ask } = asking
  const planId = asking.id("planId")
  const plan = ask("plan", { planId })
  const { repository, intent, protocol } = accepted("plan", plan.content)
  const { summary, steps, entrypoint, arms, configuration, successCriteria = [] } = protocol
  const command = (argv: readonly string[]): string => said(JSON.stringify(argv), 1_000)
  const head = `# ${plan.label}: ${words(intent)} plan for ${plan.experimentLabel}

Plan ${planId} for ${named(asking, "experiment", plan.experimentId, plan.experimentLabel)}, accepted by ${writerName(plan.acceptedBy)}, ${plan.acceptedAt.slice(0, 10)}, ${reviewedInWords(plan.reviewed)}.

${quoted(summary)}

Commit ${repository.commit} of ${repository.url}
${entrypoint === undefined ? "" : `\nCommand: ${command(entrypoint.argv)}\n`}${configuration === undefined ? "" : `\nConfiguration: ${said(JSON.stringify(configuration), 2_000)}\n`}`
  return written(
    head,
    [
      { title: "Steps", items: steps.map((step) => said(step)) },
      {
        title: "Arms",
        items: arms.map(
          ({ name, argv, description }) => `${name}: ${command(argv)}${description === undefined ? "" : ` ${said(description)}`}`,
        ),
      },
      { title: "What would count as an answer", items: successCriteria.map((criterion) => said(criterion)) },
      {
        title: "Hypotheses it tests",
        items: plan.hypotheses.map(
          (each) => `${named(asking, each.kind, each.versionId, each.label, each)} (${each.status}): ${said(each.wording)}`,
        ),
      },
      {
        title: "Premises",
        items: plan.premises.map(
          (each) =>
            `${named(asking, each.kind, each.versionId, each.label, each)} (${each.status}): ${said(each.wording, 300)} ${said(each.explanation)}`,
        ),
      },
      {
        title: "Materials it needs",
        items: plan.requiredMaterials.map(
          ({ material, purpose }) =>
            `${material === null ? "a material" : `${named(asking, "material", material.materialId, material.label, material)} ${said(material.name)}`}: ${said(purpose)}`,
        ),
      },
      { title: "Warnings", items: plan.warnings.map(({ code, message }) => `${code}: ${said(message)}`) },
      reviewsOf(plan),
    ],
    `${basePath}${pathTo("plan", { planId })}`,
  )
}
