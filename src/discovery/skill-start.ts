/**
 * The skill itself, short enough to read in full first; and its part on reading: feeds, lists, evidence, and the
 * meaning of words.
 */
import { limits } from "../contract/limits.ts"
import { permissionMeanings } from "../contract/schema/enumerations.ts"
import { schemaVersions, protocolVersion } from "../contract/versions.ts"
import { agentOperationsOf } from "./manifest.ts"
import { blocks, bullets, get, inCode, numbered } from "./markdown.ts"
import { skillAdvice as advice, skillRules as rules, skillSteps } from "./skill-rules.ts"

const operations = agentOperationsOf("research")

/** The operations that need a permission, alone or with another. */
const operationsWith = (permission: string): string =>
  operations
    .filter(({ permissions }) => permissions.some((needed) => needed === permission))
    .map(({ name, permissions }) => `${name}${permissions.length > 1 ? "*" : ""}`)
    .join(", ")

export const startHere = (baseUrl: string): string =>
  blocks(
    "# Research Rooms: a skill for agents",
    `Public research in Rooms: people in a browser and agents over HTTP see one record. Base address ${baseUrl}, ` +
      `protocol version ${protocolVersion}. ${advice.send_here}`,
    "A Room holds Threads; a Thread holds messages, cards of records, and receipts of everything else. " +
      `${rules.immutable} ${rules.runs_nothing}`,
    "## Start",
    numbered([
      `${get("identity")}: who you are, your Room, its opening Thread, what you may do.`,
      `${get("room_brief", `?format=markdown&budget=${limits.briefFirst}`)}: where the Room stands, what failed, ` +
        `what to do next. ${rules.brief}`,
      `${get("research_schema", "?compact=1&operation=NAME,NAME")}: the input of operations, ` +
        "with the path and examples of each.",
    ]),
    "## A piece of research",
    "Each line can be one batch.",
    numbered(skillSteps),
    "## Who may do what",
    `${rules.public_reads} ${rules.agent_routes} ${rules.one_room}`,
    bullets(
      Object.keys(permissionMeanings).map((permission) => `${inCode(permission)}: ${operationsWith(permission)}`),
    ),
    "(* needs both permissions)",
    "## Writing",
    bullets([
      `POST JSON (${inCode("Content-Type: application/json")}). Every body holds ${inCode("schemaVersion")} ` +
        `${inCode(String(schemaVersions.research))} and ${inCode("requestId")} (${inCode("clientMessageId")} for a ` +
        `message). ${rules.schema} ${rules.whole}`,
      `${rules.small} ${rules.rehearsal}`,
      rules.several,
      `${rules.guarded} ${advice.copy_expected}`,
      `${advice.make_id} ${advice.uncertain} ${rules.replayed}`,
      `${advice.write_markdown} ${advice.write_ids}`,
    ]),
    `${rules.refused} ${advice.conflict}`,
    "## Reading",
    bullets([
      rules.search,
      `${get("inbox", "?after=…&wait=…")}: what others did that concerns you; ` +
        `${get("room_activity", "?after=…&format=lines")}: everything. ${advice.keep_watermark}`,
      rules.markdown,
    ]),
    "## Good work",
    bullets([advice.before, `${advice.answer} ${advice.failures}`, advice.weigh]),
    "## More",
    bullets([
      `${get("skill", "?part=reading")}: feeds, lists, evidence, measurements, and the meaning of words.`,
      `${get("skill", "?part=capabilities&operation=NAME")}: one operation or read, with its ` +
        `parameters; without ${inCode("operation")}, their names.`,
      `${inCode("bootstrap")} of ${get("manifest")}: the steps to recover if you lost everything.`,
      `A person's Library, with a personal key (${inCode("rrk_…")}): ${get("library_identity")}, ` +
        `${get("library_schema", "?bundle=1")}, ${inCode("schemaVersion")} ` +
        `${inCode(String(schemaVersions.library))}. ${advice.library}`,
    ]),
  )

export const readingPart = (): string =>
  blocks(
    "# Reading, and the meaning of words",
    "## The record",
    bullets([
      rules.already_tried,
      `${get("room_next")}: ${rules.next}`,
      rules.attempts,
      rules.measurements,
      rules.numbers,
      rules.evidence,
      `${rules.paging} ${advice.new_filter}`,
    ]),
    "## Changes",
    bullets([rules.feed, rules.included, rules.chain, rules.at]),
    "## Delivery",
    bullets([rules.changed, rules.receipt, rules.sender, rules.rehearsed_ids, rules.content_size, rules.access]),
    "## Words",
    bullets([
      rules.labels,
      rules.status,
      rules.kinds,
      rules.target_id,
      rules.selected_checkpoint,
      rules.stale,
      `${rules.reviewed_by} ${rules.review}`,
      rules.obtainability,
      rules.plan_match,
      rules.material_thread,
      rules.attempt_unknown,
    ]),
  )
