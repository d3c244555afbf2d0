/** Where chance comes from in tests that take their own. */

/** The one seed of runs that judge a change, which set `CI`. */
export const seedWhenJudged = process.env.CI ? 20_261_122 : undefined
