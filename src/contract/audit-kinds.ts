/** The kinds of lines in the audit log. */
import { keysOf } from "./typed.ts"

/** Every kind of line, with what was done, in words. An operation named here writes a line with each accepted write. */
export const auditKinds = {
  set_up: "set the service up",
  sign_in: "signed in",
  sign_in_failed: "failed to sign in",
  sign_ins_failed: "failed to sign in, more often than is logged one by one",
  sign_out: "signed out",
  join_by_provider: "created their account with the identity provider",
  connect_provider: "connected an account of the identity provider",
  disconnect_provider: "disconnected an account of the identity provider",
  change_password: "changed their password",
  change_password_failed: "gave a wrong current password",
  reset_password: "reset a password",
  create_person: "created a person",
  describe_person: "changed how a person is cited",
  disable_person: "disabled a person",
  enable_person: "enabled a person",
  make_operator: "made a person an operator",
  unmake_operator: "removed a person as operator",
  end_access: "revoked all tokens of a person",
  end_sessions: "signed a person out everywhere",
  clear_sign_in_count: "unlocked a person's sign-in",
  invite: "created an invitation",
  revoke_invitation: "withdrew an invitation",
  accept_invitation: "accepted an invitation",
  create_room: "created a Room",
  archive_room: "archived a Room",
  restore_room: "restored a Room",
  transfer_room: "changed the owner of a Room",
  adopt_room: "adopted a Room",
  withhold_content: "withheld something from a public record",
  request_to_join: "asked to join a Room",
  decide_join_request: "decided a request to join",
  add_member: "added a member",
  remove_member: "ended a membership",
  issue_credential: "issued a credential",
  rotate_credential: "gave a credential a new token",
  revoke_credential: "revoked a credential",
  issue_key: "issued a personal key",
  revoke_key: "revoked a personal key",
  add_webhook: "added a webhook to a Room",
  change_webhook: "changed a webhook of a Room",
  import_room: "imported a Room",
  import_papers: "imported metadata of papers",
  // Earlier versions could follow a Room; their lines stay.
  add_mirror: "followed a Room of another instance",
  remove_mirror: "stopped following a Room of another instance",
  forget_room: "dropped a Room of another instance, or the end of its history",
  back_up: "made a backup",
  restore_backup: "restored a backup",
} as const

export type AuditKind = keyof typeof auditKinds
export const auditKindNames = keysOf(auditKinds)
export const isAuditKind = (name: string): name is AuditKind => Object.hasOwn(auditKinds, name)
