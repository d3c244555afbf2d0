/** A text of other people, and how it is shown where it is not rendered. */
import { limits } from "../contract/limits.ts"
import { escapeHtml } from "./escape.ts"

/** A text with paragraphs, or of one line. */
export type Kind = "block" | "inline"

export interface Text {
  readonly text: string
  readonly kind: Kind
}

/** A text as it was written, and why it is not rendered. */
export function asWritten(text: string, kind: Kind, why: string): string {
  // No write is longer; a longer text of another source is cut.
  const whole = text.length > 2 * limits.message ? `${text.slice(0, 2 * limits.message)} …` : text
  return kind === "block"
    ? `<pre class="source" tabindex="0">${escapeHtml(whole)}</pre><p class="source-note">Shown as it was written: ${why}.</p>`
    : `<code class="source" title="Shown as it was written: ${why}">${escapeHtml(whole)}</code>`
}
