/** Users' texts, and how a text is shown if it is not rendered. */
import { hash } from "node:crypto"
import { limits } from "../contract/limits.ts"
import { escapeHtml } from "../contract/text.ts"

/** A text with paragraphs, or a single line. */
export type Kind = "block" | "inline"

export interface Text {
  readonly text: string
  readonly kind: Kind
}

/** A text's name, from the digest of its source: accepted texts never change. */
export const nameOf = (text: string, kind: Kind): string => `${kind}:${hash("sha256", text, "base64")}`

/** A text as its author wrote it, with the reason why it is not rendered. */
export function asWritten(text: string, kind: Kind, why: string): string {
  // Writes are limited to this length; a longer text of another source is cut.
  const whole = text.length > 2 * limits.message ? `${text.slice(0, 2 * limits.message)} …` : text
  return kind === "block"
    ? `<pre class="source" tabindex="0">${escapeHtml(whole)}</pre><p class="source-note">Shown as written: ${why}.</p>`
    : `<code class="source" title="Shown as written: ${why}">${escapeHtml(whole)}</code>`
}
