/**
 * A store in memory that speaks as much of S3 as Litestream needs; on request it hangs, refuses or no longer accepts a
 * credential.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createHash } from "node:crypto"

export type Mood = "well" | "hangs" | "refuses"

export interface Store {
  readonly endpoint: string
  mood: Mood
  /** Access keys that are no longer valid. */
  readonly revoked: Set<string>
  close(): Promise<void>
}

interface Kept {
  readonly bytes: Buffer
  readonly meta: Readonly<Record<string, string>>
  readonly at: Date
}

/** The decoded body: chunks with signatures between them, if sent that way. */
function plain(body: Buffer, { headers }: IncomingMessage): Buffer {
  if (
    !(headers["content-encoding"] ?? "").includes("aws-chunked") &&
    !String(headers["x-amz-content-sha256"]).startsWith("STREAMING")
  )
    return body
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf("\r\n", at)
    const length = Number.parseInt(body.toString("latin1", at, end), 16)
    if (length === 0) break
    parts.push(body.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
  return Buffer.concat(parts)
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
const error = (response: ServerResponse, status: number, code: string) =>
  response
    .writeHead(status, { "content-type": "application/xml" })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
const tagOf = (bytes: Buffer) => `"${createHash("md5").update(bytes).digest("hex")}"`

export async function startStore(): Promise<Store> {
  const objects = new Map<string, Kept>()
  /** Requests without an answer. */
  const hanging = new Set<IncomingMessage>()
  let mood: Mood = "well"
  const bodyOf = async (request: IncomingMessage) =>
    plain(Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)), request)

  function list(query: URLSearchParams, bucket: string, response: ServerResponse): void {
    const prefix = query.get("prefix") ?? ""
    const delimiter = query.get("delimiter") ?? ""
    const after = query.get("start-after") ?? ""
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(`${bucket}/${prefix}`))
      .map((key) => key.slice(bucket.length + 1))
      .sort()
    const folders = new Set<string>()
    const files = keys.filter((key) => {
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length)
      if (end >= 0) folders.add(key.slice(0, end + 1))
      return end < 0 && key > after
    })
    const contents = files.map((key) => {
      const { bytes, at } = objects.get(`${bucket}/${key}`) as Kept
      return (
        `<Contents><Key>${escaped(key)}</Key><LastModified>${at.toISOString()}</LastModified><ETag>` +
        `${escaped(tagOf(bytes))}</ETag><Size>${bytes.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
      )
    })
    const common = [...folders].map((folder) => `<CommonPrefixes><Prefix>${escaped(folder)}</Prefix></CommonPrefixes>`)
    response
      .writeHead(200, { "content-type": "application/xml" })
      .end(
        `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>` +
          `${bucket}</Name><Prefix>${escaped(prefix)}</Prefix><KeyCount>${files.length}</KeyCount><MaxKeys>` +
          `1000000</MaxKeys><IsTruncated>false</IsTruncated>${contents.join("")}${common.join("")}</ListBucketResult>`,
      )
  }

  function give(request: IncomingMessage, found: Kept, response: ServerResponse): void {
    const { bytes, meta, at } = found
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? []
    const part =
      from === undefined
        ? bytes
        : bytes.subarray(Number(from), to === "" || to === undefined ? undefined : Number(to) + 1)
    response.writeHead(from === undefined ? 200 : 206, {
      "content-length": part.length,
      "content-type": "application/octet-stream",
      etag: tagOf(bytes),
      "last-modified": at.toUTCString(),
      ...meta,
      ...(from !== undefined && { "content-range": `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}` }),
    })
    response.end(request.method === "HEAD" ? undefined : part)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://store")
    const [bucket = "", ...rest] = decodeURIComponent(pathname).slice(1).split("/")
    const name = `${bucket}/${rest.join("/")}`
    const key = /Credential=([^/]+)\//.exec(request.headers.authorization ?? "")?.[1] ?? ""
    const body = await bodyOf(request)
    if (store.mood === "hangs") return void hanging.add(request)
    if (store.mood === "refuses") return void error(response, 503, "SlowDown")
    if (store.revoked.has(key)) return void error(response, 403, "InvalidAccessKeyId")
    if (request.method === "PUT") {
      const meta = Object.fromEntries(
        Object.entries(request.headers).filter(([header]) => header.startsWith("x-amz-meta-")),
      ) as Record<string, string>
      objects.set(name, { bytes: body, meta, at: new Date() })
      return void response.writeHead(200, { etag: tagOf(body) }).end()
    }
    if (request.method === "POST" && searchParams.has("delete")) {
      const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, each = ""]) => each)
      for (const each of keys) objects.delete(`${bucket}/${each}`)
      return void response
        .writeHead(200, { "content-type": "application/xml" })
        .end('<?xml version="1.0"?><DeleteResult></DeleteResult>')
    }
    if (request.method === "DELETE") {
      objects.delete(name)
      return void response.writeHead(204).end()
    }
    if (searchParams.has("location"))
      return void response.writeHead(200).end('<?xml version="1.0"?><LocationConstraint>us-east-1</LocationConstraint>')
    if (request.method === "GET" && rest.join("") === "") return list(searchParams, bucket, response)
    const found = objects.get(name)
    if (found === undefined) return void error(response, 404, "NoSuchKey")
    give(request, found, response)
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => request.destroy()))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const store: Store = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get mood() {
      return mood
    },
    set mood(next) {
      mood = next
      // A store that is back has forgotten earlier requests.
      for (const { socket } of hanging) socket.destroy()
      hanging.clear()
    },
    revoked: new Set(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return store
}

/** The store in the form of Litestream's configuration. @param path within its bucket @param key its access key */
export const keptIn = ({ endpoint }: Store, path: string, key: string) => ({
  type: "s3",
  bucket: "rooms",
  path,
  region: "us-east-1",
  endpoint,
  "force-path-style": true,
  "access-key-id": key,
  "secret-access-key": `secret-of-${key}`,
})
