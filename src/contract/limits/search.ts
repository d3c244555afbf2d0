/** How far a search looks, and how far it is looked for what is similar. */
export const ofSearch = {
  searchQuery: 200,
  /** Words of the instance that may begin like the last one of a search; with more, it is looked up as a whole word. */
  searchBeginnings: 64,
  /** Matches of a search that are ranked: of more, the newest. */
  searchRanked: 1_000,
  /** Texts that hold a word, of all words of a search together, up to which a word is weighed: without one, the newest come first. */
  searchWeighed: 20_000,
  /** Of words that each stand in very many texts, the newest so many of all of them together are looked at for texts that hold all. */
  searchCommon: 16_000,
  /** Characters of texts that are read for a phrase whose words very many texts hold. */
  searchRead: 250_000,
  /** People that a search shows whose name begins as it does. */
  searchPeople: 5,
  /** Matches among which those of a status, or since a time, are looked for: the newest. */
  searchNarrowed: 2_000,
  /** Words of a phrase that are looked up as one; a longer one as several, all of which must occur. */
  searchPhrase: 4,
  /**
   * Words in the texts of all matches, together, up to which they are ranked; with more, the newest come first. A phrase is
   * looked for in half as many words, of the newest texts that hold its words.
   */
  searchRankedWords: 200_000,
  /** Characters of the texts in which the passages of one page are looked for; what is behind them is shown unmarked. */
  searchSight: 60_000,
  /** Bytes of texts that are compared for a page of concepts or Rooms that contain something. */
  substringRead: 2_000_000,
  /** Characters that a passage shows of a word at either end. */
  searchWord: 100,
  /** Texts of each kind in a Room, the newest, among which what is similar is looked for; characters of each that are looked at. */
  similarSight: 1_000,
  similarText: 1_500,
  /** What is answered of that, characters of a line of it, and attempts on one commit that are compared, the newest. */
  similarItems: 5,
  similarLine: 200,
  /** The nearest of them, which a receipt shows. */
  similarTold: 3,
  /** What an agent made itself within so many milliseconds is not shown to it. */
  similarOwnMs: 3_600_000,
  /** Occurrences of terms that are weighed among the texts of a kind. */
  similarWeighed: 2_000,
  /** Terms of texts that are kept in memory of all Rooms together, except the Room of the request. */
  similarHeld: 500_000,
  similarExecutions: 500,
} as const
