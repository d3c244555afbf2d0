/**
 * The proxies of the page for operators, built from its blocks, and a small one of our own, which runs on every
 * machine.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createSecureServer } from "node:http2"
import { request as ask } from "node:http"
import { createServer, type AddressInfo } from "node:net"
import { delimiter, join } from "node:path"
import { connect as connectTls } from "node:tls"

const here = import.meta.dirname
export const certificate = { file: join(here, "example.pem"), key: join(here, "example.key") }
const written = readFileSync(join(here, "../../../.github/operation.md"), "utf8")

/** The block that follows a line of the page, unchanged. */
function blockAfter(line: string): string {
  const [, block] = written.split(`\n${line}\n\n`)[1]?.split("```", 2) ?? []
  if (block === undefined) throw new Error(`operation.md has no block after "${line}"`)
  return block.slice(block.indexOf("\n") + 1)
}

/** Replaces a text that occurs once. @throws if the page does not contain exactly what is replaced */
function replaced(text: string, what: string | RegExp, by: string): string {
  const made = text.replaceAll(typeof what === "string" ? what : new RegExp(what, "g"), by)
  if (made === text) throw new Error(`operation.md no longer says ${what}`)
  return made
}

/** The port of each service: one on its own host, and two below one host. */
export interface Behind {
  readonly port: number
  readonly folder: string
  readonly root: number
  readonly lab: number
  readonly other: number
}

export interface RunningProxy {
  readonly name: string
  /** The issuer of its certificate. */
  ca(): Buffer
  /** Its output, if it ends too early. */
  readonly said: () => string
  close(): Promise<void>
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const hosts = ["rooms.example.org", "example.org"]
/** Whether a proxy has a certificate for a host: it may listen before it has one. */
const greets = (port: number, servername: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connectTls({ port, host: "127.0.0.1", servername, rejectUnauthorized: false }, () =>
      resolve((socket.destroy(), true)),
    )
    socket.on("error", () => resolve(false))
  })

/** Waits until each host answers at a port, for at most 20 seconds. */
async function listens(port: number, process: ChildProcess, said: () => string): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end; ) {
    if (process.exitCode !== null) throw new Error(said())
    const isThere = (await Promise.all(hosts.map((host) => greets(port, host)))).every(Boolean)
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`it does not listen: ${said()}`)
}

async function started(
  name: string,
  program: string,
  args: readonly string[],
  behind: Behind,
  ca: () => Buffer,
): Promise<RunningProxy> {
  let text = ""
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: behind.folder, XDG_DATA_HOME: behind.folder, XDG_CONFIG_HOME: behind.folder },
  })
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (more: Buffer) => (text += more.toString()))
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()))
  await listens(behind.port, child, () => text)
  return {
    name,
    ca,
    said: () => text,
    async close() {
      // A clean stop: after a kill the workers would stay.
      child.kill("SIGTERM")
      await ended
    },
  }
}

/** A program of this machine: named by a variable, or found in the `PATH`. */
export function found(name: string): string | undefined {
  const named = process.env[name.toUpperCase()]
  const places =
    named === undefined ? (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)) : [named]
  return places.find((place) => spawnSync(place, [name === "nginx" ? "-v" : "version"]).status === 0)
}

/** Caddy with its block; only the ports differ, and it issues its own certificates instead of using Let's Encrypt. */
export function caddy(program: string, behind: Behind): Promise<RunningProxy> {
  const [root = "", below = ""] = blockAfter("Caddy:").split(/\n(?=example\.org)/)
  const lines = /^\t.*\n/gm
  const other = (below.match(lines) ?? [])
    .join("")
    .replaceAll("/lab", "/other")
    .replaceAll("8787", String(behind.other))
  const lab = replaced(below, "8787", String(behind.lab)).replace(/\n}/, `\n${other}}`)
  const settings =
    `{\n\tadmin off\n\thttps_port ${behind.port}\n\tauto_https ` +
    "disable_redirects\n\tlocal_certs\n\tskip_install_trust\n}\n"
  const file = join(behind.folder, "Caddyfile")
  writeFileSync(file, settings + replaced(root, "8787", String(behind.root)) + lab)
  return started("Caddy", program, ["run", "--config", file, "--adapter", "caddyfile"], behind, () =>
    readFileSync(join(behind.folder, "caddy/pki/authorities/local/root.crt")),
  )
}

/** nginx with its block; only ports and files differ. */
export function nginx(program: string, behind: Behind): Promise<RunningProxy> {
  const [, major = 0, minor = 0, patch = 0] =
    /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(spawnSync(program, ["-v"]).stderr.toString()) ?? []
  const isOld = Number(major) * 1e6 + Number(minor) * 1e3 + Number(patch) < 1_025_001
  let block = blockAfter("nginx:")
  // What the block itself says about earlier versions.
  const [, before] = /http2 on;\s+# before 1\.25\.1: (.*)\n/.exec(block) ?? []
  if (before === undefined) throw new Error("operation.md no longer says what HTTP/2 takes before 1.25.1")
  if (isOld) block = block.replace("listen 443 ssl;", before).replace(/ *http2 on;.*\n/, "")
  block = replaced(block, "listen 443", `listen 127.0.0.1:${behind.port}`)
  block = replaced(replaced(block, /\/etc\/ssl\/\S+\.pem/, certificate.file), /\/etc\/ssl\/\S+\.key/, certificate.key)
  const location = /( {4}location )\/( \{[^}]*\})/.exec(block)
  if (location === null || !block.includes("For a path below the host: location /lab/"))
    throw new Error("operation.md has another location")
  const [whole, head = "", rest = ""] = location
  const at = (path: string, port: number) => `${head}${path}${rest.replace("8787", String(port))}`
  const below = replaced(block, "rooms.example.org;", "example.org;").replace(
    whole,
    `${at("/lab/", behind.lab)}\n${at("/other/", behind.other)}`,
  )
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(behind.folder, kind)};`,
  )
  mkdirSync(join(behind.folder, "logs"))
  const file = join(behind.folder, "nginx.conf")
  const user = process.getuid?.() === 0 ? "user root;\n" : ""
  writeFileSync(
    file,
    `daemon off;\n${user}pid ${join(behind.folder, "pid")};\nerror_log stderr;\nevents {}\nhttp {\naccess_log ` +
      `off;\n${temporary.join("\n")}\n${block.replace("8787", String(behind.root))}\n${below}}\n`,
  )
  return started("nginx", program, ["-p", behind.folder, "-c", file, "-e", "stderr"], behind, () =>
    readFileSync(certificate.file),
  )
}

const HOP_BY_HOP = /^(?::.*|connection|keep-alive|transfer-encoding|upgrade|host|x-forwarded-for)$/

/**
 * What the page requires of a proxy, and no more: it passes on `Host`, names the client it speaks for, and streams
 * answers.
 */
export async function ownProxy(behind: Behind): Promise<RunningProxy> {
  const key = readFileSync(certificate.key)
  const cert = readFileSync(certificate.file)
  const server = createSecureServer({ key, cert, allowHTTP1: true }, (request, response) => {
    const host = request.headers[":authority"] ?? request.headers.host ?? ""
    const path = request.url
    if (path === "/lab" || path === "/other") return void response.writeHead(302, { location: `${path}/` }).end()
    const isRoot = host.startsWith("rooms.")
    const port = isRoot ? behind.root : path.startsWith("/other/") ? behind.other : behind.lab
    // For one of them it strips the path: a service must work with and without that.
    const passed = !isRoot && port === behind.other ? path.slice("/other".length) : path
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.test(name)))
    const onwards = ask(
      {
        host: "127.0.0.1",
        port,
        path: passed,
        method: request.method,
        headers: { ...headers, host, "x-forwarded-for": "127.0.0.1" },
      },
      (answer) => {
        const back = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.test(name)))
        response.writeHead(answer.statusCode ?? 502, back)
        answer.pipe(response)
      },
    )
    onwards.on("error", () => response.destroy())
    response.on("close", () => onwards.destroy())
    request.pipe(onwards)
  })
  await new Promise<void>((resolve) => server.listen(behind.port, "127.0.0.1", resolve))
  return {
    name: "a proxy of our own",
    ca: () => cert,
    said: () => "",
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
