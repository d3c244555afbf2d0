/** What an entry of the feed tells, in one sentence: who did what, with the words they said themselves. */
import { partInWords } from "../contract/operations/link-kinds.ts"
import { writerName } from "../contract/answers/parts.ts"
import type { ActivityEntry } from "../contract/answers/index.ts"
import type { BodyOf, OperationName } from "../contract/operations/index.ts"
import { oneLine, shortened } from "../contract/text.ts"
import { isKeyOf } from "../contract/each.ts"

/** Characters of what somebody said that a sentence quotes. */
const QUOTED = 240

type Told = Pick<ActivityEntry, "operation" | "actor" | "target">
/** What was done, as it follows the name of who did it. */
type Sentence<N extends OperationName> = (content: BodyOf<N>, label: string) => string

const said = (text: string | undefined): string => (text === undefined ? "" : `: ${shortened(oneLine(text), QUOTED)}`)
const words = (name: string): string => name.replaceAll("_", " ")

const sentences: { readonly [N in OperationName]?: Sentence<N> } = {
  withhold_content: ({ reason, explanation }, label) => `withheld something of ${label} (${words(reason)})${said(explanation)}`,
  create_room: ({ title }) => `made the Room${said(title)}`,
  amend_room: ({ title, question, license }) =>
    (title ?? question) === undefined
      ? `put the Room under the licence ${license ?? ""}`
      : `changed what the Room is called or asks${said(question ?? title)}`,
  decide_join_request: () => "let somebody in who asked to join",
  add_member: ({ username }) => `made ${username} a member`,
  remove_member: () => "ended a membership",
  archive_room: ({ reason }) => `archived the Room${said(reason)}`,
  restore_room: ({ reason }) => `restored the Room${said(reason)}`,
  transfer_room: ({ reason }) => `gave the Room another owner${said(reason)}`,
  adopt_room: ({ origin }) => `adopted the Room from ${origin.baseUrl}`,
  create_thread: ({ title }) => `started a Thread${said(title)}`,
  post_message: ({ text, replyToEntryId }) => `${replyToEntryId === undefined ? "wrote" : "answered"}${said(text)}`,
  reuse_record: ({ note }, label) => `brought ${label} into the Thread${said(note)}`,
  publish_hypothesis: ({ assertion }, label) => `published hypothesis ${label}${said(assertion.wording)}`,
  publish_finding: ({ assertion, outcome }, label) => `published ${outcome} finding ${label}${said(assertion.wording)}`,
  publish_cited_claim: ({ assertion, paper }, label) => `cited arXiv:${paper.arxivId} as ${label}${said(assertion.wording)}`,
  link_experiment_finding: ({ towardQuestion, towardHypothesis }) =>
    `related a finding to an experiment: it ${words(towardQuestion.verdict)} the question${
      towardHypothesis.length === 0 ? "" : ` (toward hypotheses: ${towardHypothesis.map(({ verdict }) => verdict).join(", ")})`
    }${said(towardQuestion.explanation)}`,
  assert_correction: ({ correction }, label) => `corrected a record, ${label}${said(correction)}`,
  assert_supersession: ({ explanation }, label) => `superseded a record, ${label}${said(explanation)}`,
  assert_dispute: ({ explanation, part }, label) =>
    `disputed ${part === undefined ? "a record" : `a record in ${partInWords(part)}`}, ${label}${said(explanation)}`,
  assert_retraction: ({ explanation }, label) => `retracted a record, ${label}${said(explanation)}`,
  withdraw_link: ({ explanation }, label) => `took ${label} back${said(explanation)}`,
  post_research_checkpoint: ({ state, synthesis, conclusion }) =>
    state === "concluded" ? `concluded${said(conclusion)}` : `summed up${said(synthesis)}`,
  propose_experiment: ({ question }, label) => `proposed ${label}${said(question)}`,
  amend_experiment: ({ explanation }, label) => `amended ${label}${said(explanation)}`,
  cancel_experiment: ({ reason }, label) => `cancelled ${label}${said(reason)}`,
  take_experiment: (_content, label) => `took ${label}`,
  release_experiment: ({ handoff }, label) => `gave ${label} back${said(handoff)}`,
  report_experiment_status: ({ status, summary }, label) => `reported ${label} ${words(status)}${said(summary)}`,
  accept_plan: ({ protocol, intent }, label) => `accepted ${intent} plan ${label}${said(protocol.summary)}`,
  register_attempt: ({ intent, argv }, label) => `registered ${intent} attempt ${label}${said(argv.join(" "))}`,
  report_attempt_event: ({ event, failure, message }, label) =>
    `reported ${label} ${words(event)}${said(failure === undefined ? message : `${failure.stage}: ${failure.explanation}`)}`,
  register_material: ({ name }, label) => `registered material ${label}${said(name)}`,
  report_material_location: ({ state, explanation }, label) => `reported ${label} ${words(state)}${said(explanation)}`,
}

/** Operations that have a sentence of their own. */
export const told: readonly string[] = Object.keys(sentences)

/**
 * One sentence on what happened.
 * @param content the accepted content as JSON text; null where it is not known
 */
export function happened({ operation, actor, target }: Told, content: string | null): string {
  const label = target.label ?? words(target.kind)
  // A content that was accepted is one of its operation's bodies.
  const sentence = isKeyOf(sentences, operation) ? (sentences[operation] as Sentence<OperationName> | undefined) : undefined
  const done = sentence === undefined || content === null ? `${words(operation)} ${label}` : sentence(JSON.parse(content), label)
  return `${writerName(actor)} ${done}${/[.!?…]$/u.test(done) ? "" : "."}`
}
