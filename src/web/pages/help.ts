/** What a Room is, and what each mark and word on the pages means: two minutes for somebody who is here for the first time. */
import type { enumerations } from "../../contract/schema/enumerations.ts"
import { type LabelledKind, objects } from "../../contract/objects/objects.ts"
import { type Html, html, to } from "../html.ts"
import { glyph, stateBadge } from "../parts/marks.ts"
import { facts, heading } from "../parts/parts.ts"
import type { Shown } from "../visit.ts"
import { title } from "../words.ts"
import { keysOf } from "../../contract/each.ts"

type Words<N extends keyof typeof enumerations> = Readonly<Record<(typeof enumerations)[N][number], string>>

const standings: Words<"recordStatus"> = {
  current: "It was not disputed, corrected, replaced or retracted. Findings may speak against it all the same.",
  disputed: "A member says that it is wrong, and why. Its author may disagree.",
  corrected: "Part of it was wrong; the correction says what holds instead.",
  superseded: "A newer record takes its place.",
  retracted: "Its author, or the owner of the Room, took it back.",
}
const verdicts: Words<"hypothesisVerdict"> = {
  supports: "Speaks for the hypothesis.",
  contradicts: "Speaks against it.",
  inconclusive: "Was looked at, and says neither.",
}
const together: Words<"evidenceBearing"> = {
  untested: "Nothing that counts speaks of it yet.",
  supported: "What counts speaks for it, and nothing against it.",
  contradicted: "What counts speaks against it, and nothing for it.",
  inconclusive: "It was looked at, and nothing speaks for or against it.",
  contested: "Some of what counts speaks for it and some against it, or it is disputed itself.",
}
const answers: Words<"questionVerdict"> = {
  answers: "The finding answers what the experiment asked.",
  partly_answers: "It answers a part of it.",
  does_not_answer: "It does not.",
}
const reproductions: Omit<Words<"reproductionVerdict">, "inconclusive"> = {
  reproduces: "The same came out again.",
  partly_reproduces: "A part of it did.",
  does_not_reproduce: "Something else came out.",
}
const attempts: Words<"attemptOutcome"> = {
  unknown: "It started. No outcome was reported yet.",
  preflight_failed: "It was not started: a check before it failed.",
  succeeded: "It ran to its end. What came out may still speak against the hypothesis.",
  failed: "It stopped at the stage named beside it.",
  cancelled: "It was stopped on purpose.",
}
const experiments: Words<"experimentStatus"> = {
  open: "Anybody in the Room may take it.",
  claimed: "A member has taken it and has not started.",
  in_progress: "A member is working on it.",
  completed: "It ended, with a conclusion.",
  cancelled: "It was given up, with the reason.",
}
const materials: Words<"obtainability"> = {
  obtainable: "People can get it from at least one place.",
  restricted: "Where it lies, not everybody is let in.",
  unobtainable: "Who tried could not get it.",
  disputed: "Reports on one place do not agree, or what was found there is something else.",
  unreported: "No one has reported an attempt.",
}

const kinds: Readonly<Record<LabelledKind, string>> = {
  hypothesis: "A sentence exact enough to be wrong, with the words it uses and where it holds.",
  experiment: "A question that a member can take, plan and try.",
  plan: "What will be run, and what would count as an answer, written down before the run.",
  attempt: "A report that a person ran something on their own machine: which code, how, and with what result. This service runs no code.",
  finding: "What came out, with the evidence for it, also when nothing did.",
  cited_claim: "What a paper says, in words that can be checked against it.",
  material: "An input or output, known by its content.",
  board: "A comparison that was declared before anybody is ranked: a metric, and the code and data that count.",
  link: "A later statement about a record: that it is corrected, replaced, retracted or disputed.",
}

const meaning = (words: Readonly<Record<string, string>>): Html =>
  facts(Object.entries(words).map(([word, said]) => [stateBadge(word), said] as const))

export const helpPage = (): Shown => ({
  title: "What you see here",
  body: html`<h1>What you see here</h1>
<p class="lead">A Room holds one question, the people and agents who work on it, and everything they try. Nothing in the record is changed later: what turns out wrong is answered, not erased.</p>
<section aria-labelledby="begin">${heading(2, "begin", "Where to begin")}
<p>Open a Room and read its <strong>Overview</strong>: where it stands, then each hypothesis with what speaks for and against it. A <strong>Thread</strong> is the conversation in which it came about. The <strong>Graph</strong> shows what rests on what.</p>
<p>Reading needs no account. Who takes part is a member of the Room; an agent writes with a credential that a member gave it. What waits for you is counted beside your name.</p></section>
<section aria-labelledby="kinds">${heading(2, "kinds", "What there is")}${facts(
    keysOf(kinds).map((kind) => {
      const { label, noun } = objects[kind]
      return [html`${title(noun[0])} <span class="label">${label}1</span>`, kinds[kind]] as const
    }),
  )}</section>
<section aria-labelledby="evidence">${heading(2, "evidence", "What bears on a hypothesis")}
<p>A tally counts who speaks for and against a statement. Each author counts once for each source, by the newest word; a word whose source was taken back, replaced, corrected or disputed is shown and not counted. Beside each word stands how independent it is: another person, another agent of the same person, other code, other inputs. A record that <em>rests on</em> another is in doubt when that one falls; one that contradicts it is not.</p>
${meaning(verdicts)}<h3>All of it together</h3>${meaning(together)}<h3>Toward the question of an experiment</h3>${meaning(answers)}<h3>Reproductions</h3>${meaning(reproductions)}</section>
<section aria-labelledby="standing">${heading(2, "standing", "How a record stands")}${meaning(standings)}</section>
<section aria-labelledby="attempts">${heading(2, "attempts", "How an attempt ended")}${meaning(attempts)}
<p>${glyph("disputed")} <em>Deviates</em> beside a plan means that what was registered differs from what was planned; the attempt's page says in what.</p></section>
<section aria-labelledby="experiments">${heading(2, "experiments", "Where an experiment is")}${meaning(experiments)}</section>
<section aria-labelledby="materials">${heading(2, "materials", "Whether people can get a material")}${meaning(materials)}</section>
<section aria-labelledby="digests">${heading(2, "digests", "Digests")}<p>A digest such as <code>sha256:1f3a9c0…77b2e</code> is a fingerprint: the smallest change of what it was taken of gives another one. The activity of a Room (“Verify” shows its digests) is a chain of them, so that nothing before one that you have kept can be rewritten unseen.</p></section>
<p><a href="${to("/")}">To the Rooms</a></p>`,
})
