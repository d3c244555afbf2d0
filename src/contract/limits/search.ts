/** How much a search reads, and how much the search for similar texts reads. */
export const ofSearch = {
  searchQuery: 200,
  /** Indexed words that may begin like the last word of a query; with more, that word is looked up whole. */
  searchBeginnings: 64,
  /** Matches of a search that are ranked, the newest. */
  searchRanked: 1_000,
  /**
   * Texts that hold a word, summed over all words of a query, up to which words are weighted; beyond it, the newest
   * texts come first.
   */
  searchWeighed: 20_000,
  /**
   * If every word of a query is in very many texts: the newest texts of all of them together among which those with all
   * words are found.
   */
  searchCommon: 16_000,
  /** Characters of texts that are read to find a phrase of very common words. */
  searchRead: 250_000,
  /** People that a search shows because their names begin like the query. */
  searchPeople: 5,
  /** The newest matches that are filtered by a status or a time. */
  searchNarrowed: 2_000,
  /** Words of a phrase that are looked up as one; a longer phrase is looked up in parts, all of which must occur. */
  searchPhrase: 4,
  /**
   * Words in the texts of all matches, in total, up to which they are ranked; beyond it, the newest come first. A
   * phrase is searched in half as many words, of the newest texts that hold its words.
   */
  searchRankedWords: 200_000,
  /** Characters of the texts that are searched for the passages of one page; beyond them, matches are not marked. */
  searchSight: 60_000,
  /** Bytes of texts that are compared for one page of concepts or Rooms that contain a text. */
  substringRead: 2_000_000,
  /** Characters that a passage shows of a long word at either end. */
  searchWord: 100,
  /** Characters of a text that are compared with others. */
  similarText: 1_500,
  /**
   * Terms of a text of which the rarest are weighed, and texts that have these, summed over the terms. A term that more
   * texts have is left out.
   */
  similarTerms: 100,
  similarWeighed: 400,
  /** The best matches that are read, and the newest texts that are compared before they are indexed. */
  similarFound: 50,
  similarLacked: 50,
  /**
   * Similar items in an answer, characters of the line about each, and newest attempts on one commit that are compared.
   */
  similarItems: 5,
  similarLine: 200,
  /** Similar items that a receipt shows, the most similar. */
  similarTold: 3,
  /** For so many milliseconds, an agent is not shown items that it made itself. */
  similarOwnMs: 3_600_000,
  similarExecutions: 500,
} as const
