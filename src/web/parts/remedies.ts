/** What a person can do after a refusal. The registry of refusals says it for programs. */
import type { RefusalCode } from "../../contract/refusals/refusal.ts"
import type { Content } from "../html.ts"

const LOOK_UP = "It may be gone, or belong to another Room. Look it up in the lists of its Room."
const AGAIN = "Wait a moment, then try again."
const ADDRESS = "Check the address, or start from the list of Rooms."
const CORRECT = "Correct what is listed, then send it again."
const SHORTER = "Shorten it, or split it."
const OWNER = "Ask the Room's owner."

type Unknown = Extract<RefusalCode, `unknown_${string}`>

const remedies: Readonly<Record<Exclude<RefusalCode, Unknown>, Content> & Partial<Record<Unknown, Content>>> = {
  unknown_operation: ADDRESS,
  method_not_allowed: ADDRESS,
  not_authenticated: "Sign in and try again.",
  browser_origin: "Open the page from this service's own address, then try again.",
  not_a_member: "Ask the Room's owner to add you.",
  permission_missing: OWNER,
  scope_missing: OWNER,
  role_required: OWNER,
  room_archived: "You can read it and cite it.",
  room_mirrored: "Read and cite it here. Write to it where it comes from.",
  room_unavailable: "Look for it in the list of Rooms.",
  request_conflict: "This form was sent before with other content. Open the form again to send something new.",
  state_conflict: "Read what changed. If your draft still applies, send it again.",
  assignment_conflict: "Someone else has it, or nobody does. Look at the experiment, then decide.",
  experiment_not_open: "Look at the experiment to see what became of it.",
  thread_exists: "Post in the existing Thread.",
  link_exists: "Read the existing link.",
  attempt_exists: "Open the form again to register another attempt.",
  request_too_large: SHORTER,
  content_too_large: SHORTER,
  not_json: CORRECT,
  wrong_host: "Open the page at the address that your operator gave you.",
  invalid_schema: CORRECT,
  invalid_parameter: ADDRESS,
  past_too_large: "Look at the present, or at an earlier entry.",
  repository_unavailable:
    "Publish the repository or correct the commit, then send it again. If it could not be checked now, " +
    "wait a moment first.",
  malformed_request: AGAIN,
  request_timeout: AGAIN,
  too_many_requests: AGAIN,
  temporarily_unavailable: AGAIN,
  not_authorized: "Sign in, or ask the person who shares it with you.",
  unknown_collection: "It may be gone, or no longer shared with you. Look at your Library.",
  unknown_paper: "Check its identifier, or add the paper first.",
  thread_has_notes: "Keep the Collection, or ask the people who wrote the notes to delete them.",
  limit_reached: "File fewer papers, or file them elsewhere.",
  invalid_request: CORRECT,
}

export const remedyFor = (code: RefusalCode): Content => remedies[code] ?? LOOK_UP
