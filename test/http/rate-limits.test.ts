/** Rate limits by address, by caller, and for refused credentials; in simulated time. */
import { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { Refusal } from "../../src/contract/refusals.ts"
import { RequestContext } from "../../src/edge/limits/request-context.ts"
import { RateLimits, type RateNumbers, standardRates } from "../../src/edge/limits/rate-limits.ts"
import { plenty } from "../security/service.ts"

const few = { perMinute: 60, atOnce: 5 }

/** The seconds that a limit says to wait; 0 if the request passes. */
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

test("the limits leave a whole group behind one address in peace, and are in the manifest", (t) => {
  t.ok(
    limits.addressRequestsAtOnce >= 100 * 10,
    "a hundred people open a page with everything it loads, at the same moment",
  )
  t.ok(limits.addressRequestsPerMinute >= 20 * 60, "and twenty agents beside them send a request each second")
  t.ok(limits.addressRequestsPerMinute >= limits.callerReadsPerMinute, "one caller alone does not use up an address")
  t.ok(
    limits.refusedCredentialsPerMinute <= limits.addressRequestsPerMinute / 100,
    "a refused credential costs far more",
  )
  t.strictSame(standardRates.callerWrites, {
    perMinute: limits.callerWritesPerMinute,
    atOnce: limits.callerWritesAtOnce,
  })
  t.end()
})

test("an address gets so many requests at once, and then one after each wait that it is told", (t) => {
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
    "an IPv6 network counts as one",
  )
  for (let n = 0; n < 10 * few.atOnce; n += 1)
    t.equal(
      waitOf(() => rates.request(n % 2 ? "127.0.0.1" : "::1")),
      0,
    )
  t.end()
})

test("a caller's reads and writes are counted separately, from any address", (t) => {
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

test(
  "after too many refused credentials an address no longer learns whether one is right, but callers already " +
    "active there carry on",
  (t) => {
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
      "it gets the same answer as a wrong guess",
    )
    t.equal(
      waitOf(() => rates.caller(here, "an agent at work", "POST")),
      0,
    )
    t.equal(
      waitOf(() => rates.caller(there, "a lucky guess", "GET")),
      0,
      "nobody guessed from the other address",
    )
    pass(10_000)
    t.equal(
      waitOf(() => rates.caller(here, "somebody new", "GET")),
      0,
      "after that time new callers are accepted again",
    )
    t.end()
  },
)

test("an agent on the machine itself may err: what it sends wrongly is refused as such, however often", (t) => {
  const { rates } = limited({ refusedCredentials: few })
  for (let n = 0; n < 2 * few.atOnce; n += 1)
    t.equal(
      waitOf(() => rates.refusedCredential(new RequestContext("127.0.0.1"))),
      0,
    )
  t.end()
})
