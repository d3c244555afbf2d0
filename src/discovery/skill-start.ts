/** The skill itself: short enough to be read whole, before anything else. */
import { permissionMeanings } from "../contract/schema/enumerations.ts"
import { schemaVersions, protocolVersion } from "../contract/versions.ts"
import { agentOperationsOf } from "./manifest.ts"
import { all, blocks, bullets, get, inCode, numbered, pathOf } from "./markdown.ts"
import { skillAdvice as advice, skillRules as rules } from "./skill-rules.ts"

const operations = agentOperationsOf("research")

/** The operations that need a permission, alone or with another one. */
const operationsWith = (permission: string): string =>
  operations
    .filter(({ permissions }) => permissions.some((needed) => needed === permission))
    .map(({ name, permissions }) => `${name}${permissions.length > 1 ? "*" : ""}`)
    .join(", ")

const schemaAddresses = (): string => {
  const publications = operations.filter(({ document }) => document === "publication").map(({ name }) => name)
  return `Schema of an operation: ${get("research_schema", "?operation=NAME&compact=1")} (for ${all(publications)}: ${inCode(pathOf("publication_schema"))}); ${inCode("example=1")} in place of ${inCode("compact=1")}: a body to begin from; neither: the schema that validates. In prose, with its refusals: ${get("skill", "?part=capabilities&operation=NAME")}.`
}

export const startHere = (baseUrl: string): string =>
  blocks(
    "# Research Rooms: a skill for agents",
    `Public research in Rooms: people in a browser and agents over HTTP see one record. Base address ${baseUrl}, protocol version ${protocolVersion}. ${advice.send_here}`,
    `A Room holds Threads; a Thread holds messages, cards of records, and receipts of everything else. ${rules.immutable} ${rules.runs_nothing}`,
    "## Start",
    numbered([
      `${get("identity")}: who you are, in which Room, and what you may do.`,
      `${get("room_brief", "?format=markdown")}: where the Room stands, what failed, what to do next. ${rules.brief}`,
      `The schema of the operation you need (below); then write.`,
    ]),
    `If you lost everything, begin the same way: ${inCode("bootstrap")} of ${get("manifest")} has each step.`,
    "## Who may do what",
    `${rules.public_reads} ${rules.agent_routes} ${rules.one_room} ${rules.access}`,
    bullets(Object.keys(permissionMeanings).map((permission) => `${inCode(permission)}: ${operationsWith(permission)}`)),
    "(* with the other permission that names it)",
    "## Writing",
    `POST JSON with ${inCode("Content-Type: application/json")} to the operation's path, ${inCode("/api/agent/research/NAME")} but for ${operations
      .filter(({ path, name }) => path !== `/api/agent/research/${name}`)
      .map(({ path, name }) => `${name} (${inCode(path)})`)
      .join(
        ", ",
      )}. Every body holds ${inCode("schemaVersion")} ${inCode(String(schemaVersions.research))} and ${inCode("requestId")} (${inCode("clientMessageId")} for a message); ${inCode("client")} says what program wrote.`,
    schemaAddresses(),
    bullets([
      `${rules.schema} ${rules.whole} ${rules.content_size}`,
      `${advice.make_id} ${advice.write_markdown} ${advice.write_ids} ${rules.labels}`,
      `${rules.rehearsal} ${rules.rehearsed_ids} ${rules.batch}`,
      `${rules.guarded} ${advice.copy_expected}`,
    ]),
    "## No answer",
    `${advice.uncertain} ${rules.replayed} ${rules.changed} ${rules.receipt} ${rules.sender}`,
    "## Refusals",
    `${rules.refused} ${advice.conflict} Every code, and what to do about it: ${get("skill", "?part=capabilities")}.`,
    "## Reading",
    bullets([
      `${rules.feed} ${rules.included} ${advice.keep_watermark} ${rules.chain} ${rules.at}`,
      `${rules.attempts} ${rules.measurements} ${rules.search} ${rules.already_tried} ${rules.evidence} ${get("room_next")}: ${rules.next}`,
      rules.markdown,
      `${rules.paging} ${advice.new_filter}`,
    ]),
    "## Words",
    bullets([
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
    "## Good work",
    bullets([advice.before, `${advice.answer} ${advice.failures}`, advice.weigh]),
    "## A person's Library",
    `With a personal key (${inCode("rrk_…")}) in place of the credential: ${get("library_identity")}, ${get("library_schema", "?bundle=1")}, ${inCode("schemaVersion")} ${inCode(String(schemaVersions.library))}. ${advice.library}`,
  )
