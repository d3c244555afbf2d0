/** Records, their concepts and papers, and assertions about them. */
import { type Cloner, idSql, swapped, wordSql } from "./clone.ts"
import { RARE, spoken } from "./first.ts"
import type { Large } from "./large.ts"
import { OFFSET } from "./talk.ts"

export function fillRecords(cloner: Cloner, large: Large): void {
  const { size, hypothesisId, findingId, claimId, disputeId, relationId, experimentId, openExperimentId, roomId } =
    large
  const record = idSql("record")
  // No list reads more of a record than its wording, so all of a kind share one journal row.
  const row = { version_id: record, entry_id: idSql("entry"), wording: `t.wording || ' ' || ${wordSql}` }
  // Half hypotheses, half findings.
  cloner.like("records", ["version_id", hypothesisId], size, { ...row, label: "'H' || (n + 10)" }, "n % 2 = 0")
  cloner.like("records", ["version_id", findingId], size, { ...row, label: "'F' || (n + 10)" }, "n % 2 = 1")
  cloner.like("findings", ["version_id", findingId], size, { version_id: record }, "n % 2 = 1")
  cloner.like("finding_attempts", ["version_id", findingId], size, { version_id: record }, "n % 2 = 1")
  const isSeldom = `n % ${Math.max(1, Math.floor(size / RARE))} = 0`
  const seldom = `iif(${isSeldom}, '${spoken.rare}', t.label)`
  cloner.like("concepts", ["version_id", findingId], size, { version_id: record, label: seldom })
  cloner.like("record_papers", ["version_id", claimId], size, { version_id: record, sequence: "n + 1" })
  for (const kind of ["hypothesis", "finding"])
    cloner.exec(
      `UPDATE counters SET last = last + ${Math.floor(size / 2)} WHERE room_id = '${roomId}' AND kind = '${kind}'`,
    )

  cloner.like("research_links", ["link_id", disputeId], size, {
    link_id: idSql("link"),
    entry_id: idSql("entry"),
    target_version_id: record,
    label: "'L' || (n + 10)",
    kind: `iif(${isSeldom}, 'retracts', t.kind)`,
    history_position: cloner.written("research_links", ["link_id", disputeId], size, "t.content"),
  })
  cloner.like("standings", ["version_id", hypothesisId], size, {
    version_id: record,
    status: `iif(${isSeldom}, 'retracted', t.status)`,
    notices: swapped("t.notices", [[disputeId, idSql("link")]]),
  })
  cloner.exec(`UPDATE counters SET last = last + ${size} WHERE room_id = '${roomId}' AND kind = 'link'`)

  cloner.like("finding_links", ["link_id", relationId], size, {
    link_id: idSql("relation"),
    entry_id: idSql("entry"),
    experiment_id: `'${experimentId}'`,
    version_id: idSql("record", "(n - 1 + n % 2)"),
  })
  cloner.like("finding_verdicts", ["link_id", relationId], size, { link_id: idSql("relation") })
  // One hypothesis that all findings refer to, and that all experiments address.
  const sequence = `n + ${OFFSET}`
  cloner.like("evidence_words", ["source_id", relationId], size, {
    target_id: `'${hypothesisId}'`,
    sequence,
    source_id: idSql("relation"),
  })
  cloner.like("record_uses", ["by_id", openExperimentId], size, {
    target_id: `'${hypothesisId}'`,
    sequence,
    by_id: idSql("experiment"),
  })
}
