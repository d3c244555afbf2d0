/**
 * The part of highlight.js that is used. Its own types bring those of a browser along, for the whole program: tsconfig.json puts
 * these in their place. A language is handed over as it comes, whatever it is.
 */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): object | undefined
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals: boolean }): { readonly value: string }
}
declare const highlighter: Highlighter
export default highlighter
