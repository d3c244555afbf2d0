/** How much of a text is rendered, and how much of it a page holds. */
export const ofPages = {
  /** Limits of one formula: its characters, KaTeX expansions, and the bytes and depth of its MathML. Beyond them its source is shown. */
  formula: 2_000,
  formulaExpansions: 200,
  formulaBytes: 65_536,
  formulaDepth: 100,
  /** Formulas of one text that are rendered, and their characters in total. */
  textFormulas: 500,
  textFormulaCharacters: 8_000,
  /** Cells of a Markdown table; a larger one stays text. */
  tableCells: 5_000,
  /** Bytes of one rendered text; a longer one is shown as it was written. */
  renderedTextBytes: 262_144,
  /** Milliseconds for rendering one text on its own thread. */
  renderingMilliseconds: 5_000,
  /** Bytes of rendered texts on a page; what follows is cut, or moved to the next page. */
  pageTextBytes: 2_000_000,
  /** Characters of a code block that is highlighted; a longer one is plain. */
  colouredCode: 10_000,
  /** Labels in the texts of a page that are linked. */
  linkedLabels: 300,
  /** Bytes of a page. A larger one is replaced by a notice that says where its content can be read. */
  pageBytes: 4_000_000,
  /** Bytes of rendered texts that are cached. */
  keptTextBytes: 33_554_432,
} as const
