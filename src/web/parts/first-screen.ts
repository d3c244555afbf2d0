/**
 * The frame of an object's page: one screen that holds its sentence, its picture, how it stands and the next action.
 * What follows it is folded.
 */
import { type Content, type Html, html } from "../html.ts"
import { heading } from "./parts.ts"

export interface FirstScreen {
  /** Banners above everything: what takes away from what the page says. */
  readonly standing?: Content
  /** Its label and kind, who wrote it, and when. */
  readonly meta: Content
  /** The first heading. */
  readonly sentence: Html
  /** Where the sentence holds, or what it is about. */
  readonly scope?: Content
  /** The steps from a hypothesis to a verdict. */
  readonly way?: Content
  /** What was measured or planned. On a phone it comes after the margin's first lines, and its beginning is shown. */
  readonly picture: Content
  /** How it stands, for the margin. */
  readonly verdict: Content
  readonly next: Content
}

/** Renders the first screen. The script keeps its parts up to date. */
export const firstScreen = ({ standing, meta, sentence, scope, way, picture, verdict, next }: FirstScreen): Html =>
  html`<div id="live-standing" data-live>${standing}</div>
<p class="meta" id="live-meta" data-live>${meta}</p>
<div class="first"><div>
${sentence}
${scope}
<div id="live-way" data-live>${way}</div>
<div class="picture" id="live-measured" data-live>${picture}</div>
<a class="unfold" href="#live-measured">Show the whole picture</a></div>
<aside class="margin" aria-label="Verdict and next step"><div id="live-verdict" data-live>
${verdict}
${next}</div></aside></div>`

/** What the first heading is about, in a line below it. @param name such as "Where it holds" */
export const scopeLine = (name: string, text: Content): Html =>
  html`<p class="scope"><span class="quiet">${name}:</span> ${text}</p>`

/** How an object stands in a word, and what else is known of it, a line each. */
export const stands = (word: Html, ...known: readonly Content[]): Html =>
  html`<section aria-labelledby="stands">${heading(2, "stands", "Where it stands")}<p class="bearing">${word}</p>${known
    .filter((line) => line != null && line !== false)
    .map((line) => html`<p>${line}</p>`)}</section>`
