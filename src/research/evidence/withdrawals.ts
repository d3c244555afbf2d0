/** Links that their authors took back: they stay readable, and no longer count. */

/** The columns of a withdrawal beside a link `l`; use with `WITHDRAWAL_OF_LINK`. */
export const WITHDRAWAL = "g.at AS withdrawn_at, g.explanation AS withdrawn_because"
export const WITHDRAWAL_OF_LINK = "LEFT JOIN link_withdrawals g ON g.link_id = l.link_id"

/** How a link shows that it was taken back; null while it stands. */
export const withdrawal = (row: { readonly withdrawn_at: string | null; readonly withdrawn_because: string | null }) =>
  row.withdrawn_at === null ? null : { at: row.withdrawn_at, explanation: row.withdrawn_because ?? "" }
