/**
 * Loaded before every test. Runs that judge a change use one fixed seed, so a failure comes from the change. Other runs
 * draw their own seed, and print it on failure. Passwords are hashed cheaply.
 */
import { configureGlobal, readConfigureGlobal } from "fast-check"
import { seedWhenJudged } from "./chance.ts"
import { hashCheaply } from "./passwords.ts"

if (seedWhenJudged !== undefined) configureGlobal({ ...readConfigureGlobal(), seed: seedWhenJudged })

hashCheaply()
