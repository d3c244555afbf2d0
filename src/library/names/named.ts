/** SQL over the ids that each person knows a paper by. */

/** A subquery of every id under which a person knows a paper. */
export const NAMES = (user: string, paper: string): string =>
  `(SELECT ${paper} UNION ALL SELECT m.paper_id FROM same_papers m WHERE m.user_id = ${user} AND m.same_as = ${paper})`

/** Rebuilds the search index entry of one person's paper: the update changes nothing, but fires the trigger that does so. */
export const REINDEX = `UPDATE saved_papers SET known = known WHERE (user_id, paper_id) IN (SELECT w.user_id, coalesce(m.same_as, w.paper_id)
  FROM (SELECT +? AS user_id, +? AS paper_id) w LEFT JOIN same_papers m ON m.user_id = w.user_id AND m.paper_id = w.paper_id)`
