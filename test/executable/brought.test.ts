/**
 * npm installs a Node for another platform only if it matches package-lock.json. A small package on loopback stands in
 * for the real ones.
 */
import { execFile } from "node:child_process"
import { hash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { test } from "tap"
import { nodeOf } from "../../build/node-of.ts"
import type { Platform } from "../../build/platforms.ts"

const version = "26.10.0"
const name = "node-stand-in"

/** The part of a program for Linux on arm64 that is looked at. */
function program(of: string): Buffer {
  const header = Buffer.alloc(64)
  header.write("\x7fELF\x02\x01", "latin1")
  header.writeUInt16LE(0xb7, 18)
  return Buffer.concat([header, Buffer.from(`https://nodejs.org/download/release/v${of}/node-v${of}.tar.gz`)])
}

async function packed(folder: string): Promise<Buffer> {
  const itself = process.env.npm_execpath
  const [command, first] = itself?.endsWith(".js") ? [process.execPath, [itself]] : ["npm", []]
  await promisify(execFile)(command, [...first, "pack", "--silent", "--ignore-scripts"], { cwd: folder })
  return readFileSync(join(folder, `${name}-${version}.tgz`))
}

test("contents that match the lock file are fetched once; all others are refused", async (t) => {
  const manifest = JSON.stringify({ name, version, os: ["linux"], cpu: ["arm64"] })
  const folder = t.testdir({
    right: { "package.json": manifest, bin: {} },
    wrong: { "package.json": manifest, bin: {} },
    caches: {},
  })
  writeFileSync(join(folder, "right/bin/node"), program(version))
  writeFileSync(join(folder, "wrong/bin/node"), program("1.0.0"))
  const packages = { right: await packed(join(folder, "right")), wrong: await packed(join(folder, "wrong")) }

  let asked = 0
  const registry = createServer((request, response) => {
    asked++
    response.end(packages[request.url === "/right.tgz" ? "right" : "wrong"])
  })
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve))
  t.teardown(() => registry.close())
  const { port } = registry.address() as AddressInfo

  const integrity = (which: keyof typeof packages) => `sha512-${hash("sha512", packages[which], "base64")}`
  const platform = (file: string, sum: string, cpu: "x64" | "arm64" = "arm64"): Platform => ({
    name: "linux-arm64",
    package: name,
    node: {
      version,
      resolved: `http://127.0.0.1:${port}/${file}.tgz`,
      integrity: sum,
      os: "linux",
      cpu,
      bin: { node: "bin/node" },
    },
  })
  // npm must not use the machine's cache, and it waits a minute before its third request for spoiled contents.
  const before = { ...process.env }
  Object.assign(process.env, { npm_config_cache: join(folder, "caches/npm"), npm_config_fetch_retries: "0" })
  t.teardown(() => {
    process.env = before
  })
  const cache = (which: string) => join(folder, "caches", which)

  await t.rejects(
    nodeOf(platform("wrong", integrity("right")), cache("spoiled")),
    /EINTEGRITY/,
    "the registry serves other contents",
  )
  await t.rejects(
    nodeOf(platform("wrong", integrity("wrong")), cache("other")),
    /node-stand-in does not hold Node 26\.10\.0/,
  )
  const brought = await nodeOf(platform("right", integrity("right")), cache("good"))
  t.ok(readFileSync(brought).equals(program(version)))
  const soFar = asked
  t.equal(await nodeOf(platform("right", integrity("right")), cache("good")), brought)
  t.equal(asked, soFar, "and is not asked again")
  await t.rejects(
    nodeOf(platform("right", integrity("right"), "x64"), cache("good")),
    /holds a program for linux arm64/,
  )
})
