/** The source of chance for tests that draw their own. */

/** The fixed seed of runs that judge a change, which set `CI`. */
export const seedWhenJudged = process.env.CI ? 20_261_122 : undefined

/**
 * How often a property is tried: `all` in the rest of the tests (`npm run test:rest`), `few` in `npm test` and by hand.
 */
export const runs = (all: number, few: number): number => (process.env.TEST_RUNS === "all" ? all : few)
