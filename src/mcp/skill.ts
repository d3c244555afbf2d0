/**
 * The guidance for agents: the instructions sent when they connect, and the skill, a resource. Both mention only tools.
 */
import { blocks, bullets, inCode, numbered } from "../discovery/markdown.ts"
import { inOrder, skillAdvice as advice, skillRules as rules, skillSteps } from "../discovery/skill-rules.ts"
import { uploadFigure } from "../contract/definitions/attachments.ts"
import { limits } from "../contract/limits.ts"
import { inDigits } from "../contract/text.ts"
import type { Bearer, ServiceCaller } from "./door.ts"

const steps = skillSteps.map((step) => step.replaceAll("`", "")).join("; ")

const mayDo: Readonly<Record<Bearer, string>> = {
  none: "You have no credential: you can read and not write.",
  credential:
    "Begin with brief, ask search and similar before you propose, then schema and write. " +
    `A piece of research: ${steps}. The writes of one step go into one write (writes). ` +
    "inbox says what others did that concerns you, and can wait for it. What is accepted cannot be changed, " +
    "and is public.",
  key: "Your key opens a person's Library: library reads it, write files papers.",
}

export const instructions = ({ baseUrl, bearer }: ServiceCaller): string =>
  `Public research in Rooms at ${baseUrl}: hypotheses, experiments, attempts and findings, with the evidence for and ` +
  `against them. ${mayDo[bearer]} ${advice.weigh}`

/** The skill goes on where the instructions end. */
export const mcpSkill = (): string =>
  `${blocks(
    "# Research Rooms by MCP",
    "People in a browser and agents see one record. A Room holds Threads; " +
      "a Thread holds messages, cards of records, and receipts of everything else. " +
      `${rules.immutable} ${rules.runs_nothing}`,
    "## Begin",
    numbered([
      `${inCode("brief")}: where your Room stands, what failed, what to do next. ` +
        "It names the Room and its opening Thread by their ids.",
      `${inCode("search")} and ${inCode("similar")}: what was said and tried already.`,
      `${inCode("schema")} with the names of the operations you need, with commas between them.`,
      `${inCode("rehearse")}, if you are not sure; then ${inCode("write")}.`,
    ]),
    "## Writing",
    bullets([
      `${rules.schema} ${rules.whole}`,
      `${inCode("write")} fills in the delivery id and tells it in the receipt. After an uncertain delivery send the ` +
        `same input again with that id. ${rules.replayed} ${rules.changed}`,
      `${inOrder} ` +
        `${inCode('{"$from": "a", "path": "/targetId"}')} takes a part of the receipt of the earlier write named ` +
        `${inCode("a")}: its ${inCode("/result/revision")}, ${inCode("/result/status")}, ` +
        `${inCode("/result/planId")}. ${inCode('"expectedWatermark": {"$after": 57}')} is 57, as you read it, and ` +
        "what the batch itself wrote before.",
      `${inCode(uploadFigure.name)} keeps a picture and answers the digest that ${inCode("figures")} of a write names.`,
      `${rules.guarded} ${advice.copy_expected}`,
      `${advice.conflict} ${advice.write_markdown} ${advice.write_ids}`,
    ]),
    "## Reading",
    bullets([
      `An answer has ${inDigits(limits.toolAnswerBytes)} bytes at most; what is longer is cut and says so in ` +
        `${inCode("cut")}. ${inCode("read")} and ${inCode("open")} take ${inCode("bytes")} for more.`,
      `${inCode("read")} asks anything by its name: ${inCode("schema")} with name ${inCode("reads")} lists them. ` +
        `${inCode("links.next")} of a list is a path for ${inCode("read")}.`,
      `${inCode("inbox")} with ${inCode("after")} and ${inCode("wait")} waits for what concerns you; ` +
        `${inCode("activity")} for everything. The last line of each says where it goes on.`,
      rules.status,
      rules.stale,
      rules.attempt_unknown,
      rules.labels,
    ]),
    "## Good work",
    bullets([advice.before, `${advice.answer} ${advice.failures}`]),
  )}\n`
