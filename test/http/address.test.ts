/** The address a request is counted under. */
import type { Socket } from "node:net"
import { test } from "tap"
import { addressOf, countedAs, isLoopback } from "../../src/edge/limits/request-context.ts"

const from = (remoteAddress: string | undefined, forwarded?: string) => ({
  socket: { remoteAddress } as Socket,
  headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
})

test("without a trusted proxy, a forwarded address is ignored", (t) => {
  t.equal(addressOf(from("203.0.113.7", "198.51.100.1"), false), "203.0.113.7")
  t.equal(addressOf(from("::ffff:203.0.113.7"), false), "203.0.113.7")
  t.equal(addressOf(from(undefined), false), "unknown")
  t.end()
})

test("only the last address, which a trusted proxy wrote, counts; nothing that a client wrote before it does", (t) => {
  const cases: Record<string, string> = {
    "198.51.100.1": "198.51.100.1",
    "10.0.0.1, 198.51.100.1": "198.51.100.1",
    "spoofed,198.51.100.1 ": "198.51.100.1",
    "198.51.100.1:4711": "198.51.100.1",
    "2001:db8::7": "2001:db8::7",
    "[2001:db8::7]:443": "2001:db8::7",
    "::ffff:198.51.100.1": "198.51.100.1",
    "198.51.100.1, not an address": "127.0.0.1",
    "198.51.100.1,": "127.0.0.1",
    "": "127.0.0.1",
    "999.1.1.1": "127.0.0.1",
  }
  for (const [header, address] of Object.entries(cases))
    t.equal(addressOf(from("127.0.0.1", header), true), address, `"${header}"`)
  t.equal(addressOf(from("127.0.0.1"), true), "127.0.0.1", "there was no proxy in between")
  t.end()
})

test("an IPv6 network counts as one, however its addresses are written; an IPv4 address counts alone", (t) => {
  const network = "2001:db8:1:2::/64"
  for (const address of [
    "2001:db8:1:2::",
    "2001:db8:1:2::1",
    "2001:0DB8:0001:0002:ffff:ffff:ffff:ffff",
    "2001:db8:1:2:0:0:192.0.2.1",
  ])
    t.equal(countedAs(address), network, address)
  t.equal(countedAs("2001:db8::5"), "2001:db8:0:0::/64")
  t.equal(countedAs("fe80::1%eth0"), "fe80:0:0:0::/64")
  t.equal(countedAs("::5"), "0:0:0:0::/64")
  t.not(countedAs("2001:db8:1:3::1"), network)
  for (const address of ["203.0.113.7", "::1", "unknown"]) t.equal(countedAs(address), address)
  t.end()
})

test("only loopback addresses count as the machine itself, and no similar address", (t) => {
  for (const address of ["127.0.0.1", "127.8.9.10", "::1"]) t.ok(isLoopback(address), address)
  for (const address of ["128.0.0.1", "10.0.0.1", "0.0.0.0", "::2", "unknown", "1270.0.0.1"])
    t.notOk(isLoopback(address), address)
  t.end()
})
