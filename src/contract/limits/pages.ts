/** What is rendered of texts, and what a page holds of them. */
export const ofPages = {
  /** Characters of one formula in a text, commands KaTeX may expand in it, bytes and depth of its MathML: over them its source is shown. */
  formula: 2_000,
  formulaExpansions: 200,
  formulaBytes: 65_536,
  formulaDepth: 100,
  /** Formulas of one text that are set, and characters of them all. */
  textFormulas: 500,
  textFormulaCharacters: 8_000,
  /** Cells of a table in Markdown; a larger one stays text. */
  tableCells: 5_000,
  /** Bytes of one rendered text; over them it is shown as it was written. */
  renderedTextBytes: 262_144,
  /** Milliseconds that the rendering of one text may take on its own thread. */
  renderingMilliseconds: 5_000,
  /** Bytes of rendered texts that a page begins; what comes after them is cut, or stands on the next page. */
  pageTextBytes: 2_000_000,
  /** Characters of a piece of code in colour; a longer one is plain. */
  colouredCode: 10_000,
  /** Labels in the texts of a page that become links. */
  linkedLabels: 300,
  /** Bytes of a page. A larger one says so, and where what it shows can be read. */
  pageBytes: 4_000_000,
  /** Bytes of rendered texts that are kept in memory. */
  keptTextBytes: 33_554_432,
} as const
