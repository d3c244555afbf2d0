/**
 * Statements with known answers: those that are right resolve to where they belong, and those with one thing altered do
 * not. `npm run eval` asks all of them in Rooms of 10, 500 and 2,000 attempts.
 */
import t from "tap"
import { Filler } from "../record/filler.ts"
import { openLab } from "../../support/lab.ts"
import { scoreOf } from "./judged.ts"
import { measuredRoom } from "./measured-room.ts"
import { statementsAbout } from "./statements.ts"

/** The share of right statements that must resolve, and of altered ones that must not. */
const [RESOLVED, UNRESOLVED] = [0.95, 0.9]
t.test("right statements resolve to where they belong, and altered ones do not", async (t) => {
  const lab = await openLab(t)
  const filler = new Filler(lab.file)
  const owner = filler.person("ada")
  for (const attempts of [10, 500]) {
    const { roomId, ...room } = await filler.fill(() => measuredRoom(filler, owner, attempts))
    const ask = ({
      text,
      versionId,
      attemptIds,
    }: {
      text: string
      versionId?: string
      attemptIds?: readonly string[]
    }) =>
      lab.reader.read("check_text", {
        ...{ roomId, text },
        ...(versionId !== undefined && { versionId }),
        ...(attemptIds !== undefined && { attemptIds: [...attemptIds] }),
      })
    const statements = statementsAbout({ roomId, ...room }, attempts === 10 ? 200 : 400, 7)
    const { right, altered, faults } = await scoreOf(statements, ask)
    t.ok(right.resolved >= RESOLVED * right.all, `${attempts}: ${right.resolved} of ${right.all} right ones resolve`)
    t.ok(
      altered.unresolved >= UNRESOLVED * altered.all,
      `${attempts}: ${altered.unresolved} of ${altered.all} altered ones do not`,
    )
    t.comment(faults.slice(0, 30).join("\n"))
  }
  filler.close()
})
