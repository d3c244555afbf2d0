/** How much is taken from whom: by address, by caller, and of refused credentials; in made-up time. */
import { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { Refusal } from "../../src/contract/refusals/refusal.ts"
import { RequestContext } from "../../src/edge/limits/request-context.ts"
import { RateLimits, type RateNumbers, standardRates } from "../../src/edge/limits/rate-limits.ts"
import { plenty } from "../security/service.ts"

const few = { perMinute: 60, atOnce: 5 }

/** The seconds that a limit says to wait; 0 where it lets through. */
function waitOf(work: () => unknown): number {
  try {
    const refusal = work()
    return refusal instanceof Refusal ? (refusal.details.retryAfter ?? -1) : 0
  } catch (error) {
    if (error instanceof Refusal && error.code === "too_many_requests") return error.details.retryAfter ?? -1
    throw error
  }
}

function limited(numbers: Partial<RateNumbers>) {
  let now = 0
  const rates = new RateLimits({ ...plenty, ...numbers }, () => now)
  return { rates, pass: (milliseconds: number) => void (now += milliseconds) }
}
const [here, there] = [new RequestContext("203.0.113.7"), new RequestContext("203.0.113.8")]

test("the numbers leave a whole group behind one address in peace, and are told in the manifest", (t) => {
  t.ok(limits.addressRequestsAtOnce >= 100 * 10, "a hundred people open a page with all that belongs to it, at the same moment")
  t.ok(limits.addressRequestsPerMinute >= 20 * 60, "and a score of agents asks once a second beside them")
  t.ok(limits.addressRequestsPerMinute >= limits.callerReadsPerMinute, "one caller alone does not use an address up")
  t.ok(limits.refusedCredentialsPerMinute <= limits.addressRequestsPerMinute / 100, "a refused credential counts more dearly by far")
  t.strictSame(standardRates.callerWrites, { perMinute: limits.callerWritesPerMinute, atOnce: limits.callerWritesAtOnce })
  t.end()
})

test("an address gets so many at once, and then one each time it says", (t) => {
  const { rates, pass } = limited({ addressRequests: few })
  for (let n = 0; n < few.atOnce; n += 1)
    t.equal(
      waitOf(() => rates.request("203.0.113.7")),
      0,
    )
  t.equal(
    waitOf(() => rates.request("203.0.113.7")),
    1,
  )
  t.equal(
    waitOf(() => rates.request("203.0.113.8")),
    0,
    "others are served as before",
  )
  pass(1_000)
  t.equal(
    waitOf(() => rates.request("203.0.113.7")),
    0,
  )
  t.equal(
    waitOf(() => rates.request("203.0.113.7")),
    1,
  )
  for (let n = 0; n < few.atOnce; n += 1) rates.request(`2001:db8:1:2::${n}`)
  t.equal(
    waitOf(() => rates.request("2001:db8:1:2:ffff::9")),
    1,
    "a network of IPv6 counts as one",
  )
  for (let n = 0; n < 10 * few.atOnce; n += 1)
    t.equal(
      waitOf(() => rates.request(n % 2 ? "127.0.0.1" : "::1")),
      0,
    )
  t.end()
})

test("a caller's reads and writes are counted apart, wherever they come from", (t) => {
  const { rates } = limited({ callerReads: few, callerWrites: few })
  for (let n = 0; n < few.atOnce; n += 1) rates.caller(n % 2 ? here : there, "one", "POST")
  t.equal(
    waitOf(() => rates.caller(here, "one", "PATCH")),
    1,
  )
  t.equal(
    waitOf(() => rates.caller(here, "one", "GET")),
    0,
  )
  t.equal(
    waitOf(() => rates.caller(here, "another", "POST")),
    0,
  )
  t.equal(
    waitOf(() => rates.caller(new RequestContext("127.0.0.1"), "one", "DELETE")),
    1,
    "on the machine itself too",
  )
  t.end()
})

test("after too many refused credentials an address learns of none any more whether it is right, but those at work there work on", (t) => {
  const { rates, pass } = limited({ refusedCredentials: { perMinute: 6, atOnce: 3 } })
  t.equal(
    waitOf(() => rates.caller(here, "an agent at work", "GET")),
    0,
  )
  for (let n = 0; n < 3; n += 1)
    t.equal(
      waitOf(() => rates.refusedCredential(here)),
      0,
    )
  t.equal(
    waitOf(() => rates.refusedCredential(here)),
    10,
  )
  t.equal(
    waitOf(() => rates.caller(here, "a lucky guess", "GET")),
    10,
    "it is told what a wrong guess is told",
  )
  t.equal(
    waitOf(() => rates.caller(here, "an agent at work", "POST")),
    0,
  )
  t.equal(
    waitOf(() => rates.caller(there, "a lucky guess", "GET")),
    0,
    "elsewhere nobody guessed",
  )
  pass(10_000)
  t.equal(
    waitOf(() => rates.caller(here, "somebody new", "GET")),
    0,
    "after that time it is open again",
  )
  t.end()
})
