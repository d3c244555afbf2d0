/** Withdrawals of links. A withdrawn link stays readable and no longer counts. */

/** The columns of a withdrawal beside a link `l`; use with `WITHDRAWAL_OF_LINK`. */
export const WITHDRAWAL = "g.at AS withdrawnAt, g.explanation AS withdrawnBecause"
export const WITHDRAWAL_OF_LINK = "LEFT JOIN link_withdrawals g ON g.link_id = l.link_id"

export interface WithdrawalRow {
  readonly withdrawnAt: string | null
  readonly withdrawnBecause: string | null
}
/** Returns the withdrawal of a link; null if it was not withdrawn. */
export const withdrawal = ({ withdrawnAt, withdrawnBecause }: WithdrawalRow) =>
  withdrawnAt === null ? null : { at: withdrawnAt, explanation: withdrawnBecause ?? "" }
