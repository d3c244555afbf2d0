/**
 * The help page: explains to a newcomer in two minutes what a Room is and what the marks and words on the pages mean.
 */
import type { enumerations } from "../../contract/schema/enumerations.ts"
import { labelledKinds, objects } from "../../contract/objects/objects.ts"
import { type Html, html, to } from "../html.ts"
import { glyph, stateBadge } from "../parts/marks.ts"
import { facts, heading } from "../parts/parts.ts"
import type { Shown } from "../visit.ts"
import { title } from "../words.ts"

type Words<N extends keyof typeof enumerations> = Readonly<Record<(typeof enumerations)[N][number], string>>

const standings: Words<"recordStatus"> = {
  current: "It was not disputed, corrected, replaced or retracted. Findings may still contradict it.",
  disputed: "A member says that it is wrong, and why. Its author may disagree.",
  corrected: "Part of it was wrong. The correction says what holds instead.",
  superseded: "A newer record takes its place.",
  retracted: "Its author, or the owner of the Room, withdrew it.",
}
const verdicts: Words<"hypothesisVerdict"> = {
  supports: "The finding speaks for the hypothesis.",
  contradicts: "The finding speaks against it.",
  inconclusive: "The finding examined it and speaks neither for nor against it.",
}
const together: Words<"evidenceBearing"> = {
  untested: "No evidence that counts speaks for or against it yet.",
  supported: "The evidence that decides speaks for it, and none against it.",
  contradicted: "The evidence that decides speaks against it, and none for it.",
  inconclusive: "It was examined, and no evidence speaks for or against it.",
  contested: "Some of the evidence that decides speaks for it and some against it, or it is disputed itself.",
}
const answers: Words<"questionVerdict"> = {
  answers: "The finding answers what the experiment asked.",
  partly_answers: "The finding answers part of it.",
  does_not_answer: "The finding does not answer it.",
}
const reproductions: Omit<Words<"reproductionVerdict">, "inconclusive"> = {
  reproduces: "The result was the same.",
  partly_reproduces: "Part of the result was the same.",
  does_not_reproduce: "The result was different.",
}
const attempts: Words<"attemptOutcome"> = {
  unknown: "It started. No outcome was reported yet.",
  preflight_failed: "It was not started, because a check before the start failed.",
  succeeded: "It ran to its end. Its result may still speak against the hypothesis.",
  failed: "It stopped at the stage named beside it.",
  cancelled: "It was stopped on purpose.",
}
const experiments: Words<"experimentStatus"> = {
  open: "Any member of the Room can take it.",
  claimed: "A member has taken it and has not started.",
  in_progress: "A member is working on it.",
  completed: "It ended, with a conclusion.",
  cancelled: "It was given up, for the reason shown.",
}
const materials: Words<"obtainability"> = {
  obtainable: "People can get it from at least one place.",
  restricted: "Not everybody has access to the place where it is stored.",
  unobtainable: "People who tried could not get it.",
  disputed: "Reports about one place disagree, or something else was found there.",
  unreported: "Nobody has reported whether it can be obtained.",
}

const meaning = (words: Readonly<Record<string, string>>): Html =>
  facts(Object.entries(words).map(([word, said]) => [stateBadge(word), said] as const))

export const helpPage = (): Shown => ({
  title: "What you see here",
  body: html`<h1>What you see here</h1>
<p class="lead">A Room holds one question, the people and agents who work on it, and everything they try. The record \
is never changed later: errors are corrected in new entries, not erased.</p>
<section aria-labelledby="begin">${heading(2, "begin", "Where to begin")}
<p>Open a Room and read its <strong>Overview</strong>: the present answer, then each hypothesis with the evidence for \
and against it. A <strong>Thread</strong> is the discussion behind them. The <strong>Graph</strong> shows what rests \
on what.</p>
<p>Reading needs no account. Members of the Room write in it, and an agent writes with a credential that a member gave \
it. The number beside your name counts what is waiting for you.</p></section>
<section aria-labelledby="kinds">${heading(2, "kinds", "What a Room contains")}${facts(
    labelledKinds.map((kind) => {
      const { label, noun, meaning } = objects[kind]
      return [html`${title(noun[0])} <span class="label">${label}1</span>`, meaning] as const
    }),
  )}</section>
<section aria-labelledby="evidence">${heading(2, "evidence", "What bears on a hypothesis")}
<p>A tally counts the evidence for and against a statement. Each author counts once for each source, with their newest \
statement. What was withdrawn, replaced or retracted is shown and not counted. What was corrected or disputed counts \
as doubted. Evidence with measured effects decides: where there is any, evidence without them does not. Beside each \
statement you see how independent it is: another person, another agent of the same person, other code, other \
inputs. A record that <em>rests on</em> another is in doubt when the other falls. A record that contradicts it is \
not.</p>
${meaning(verdicts)}<h3>The evidence together</h3>${meaning(together)}<h3>On the question of an experiment</h3>\
${meaning(answers)}<h3>Reproductions</h3>${meaning(reproductions)}</section>
<section aria-labelledby="standing">${heading(2, "standing", "How a record stands")}${meaning(standings)}</section>
<section aria-labelledby="attempts">${heading(2, "attempts", "How an attempt ended")}${meaning(attempts)}
<p>${glyph("disputed")} <em>Deviates</em> beside a plan means that the attempt differs from its plan. The attempt's \
page says how.</p></section>
<section aria-labelledby="experiments">${heading(2, "experiments", "The state of an experiment")}\
${meaning(experiments)}</section>
<section aria-labelledby="materials">${heading(2, "materials", "Whether people can get a material")}\
${meaning(materials)}</section>
<section aria-labelledby="digests">${heading(2, "digests", "Digests")}<p>A digest such as \
<code>sha256:1f3a9c0…77b2e</code> is a fingerprint: the smallest change of the content gives another digest. The \
digests of a Room's activity, which “Verify” shows, form a chain. If you keep one of them, nobody can rewrite an \
earlier entry unnoticed.</p></section>
<p><a href="${to("/")}">To the Rooms</a></p>`,
})
