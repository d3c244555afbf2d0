/**
 * Loaded before every test: where a change is judged, chance falls the same way each time, so that what fails
 * there is of the change. Elsewhere each run has chances of its own, and prints the seed of what failed. Passwords cost little.
 */
import { configureGlobal, readConfigureGlobal } from "fast-check"
import { seedWhenJudged } from "./chance.ts"
import { hashCheaply } from "./passwords.ts"

if (seedWhenJudged !== undefined) configureGlobal({ ...readConfigureGlobal(), seed: seedWhenJudged })

hashCheaply()
