import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStaticFiles } from "@/server/process/static-files";
import { bodyOf, end, listen } from "@/tests/support/listen";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const SCRIPT = "console.log('hello');".repeat(50);
const folder = temporaryDirectory();
let server: Server;
let port: number;

beforeAll(async () => {
  await mkdir(join(folder, "static", "chunks"), { recursive: true });
  await writeFile(join(folder, "static", "chunks", "a.js.br"), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, "secret.br"), "secret");
  const isSent = createStaticFiles(join(folder, "static"));
  server = createServer((incoming, outgoing) => {
    if (!isSent(incoming, outgoing)) {
      outgoing.writeHead(404).end("left to Next");
    }
  });
  port = await listen(server);
});
afterAll(() => end(server));

/** The answer as it came over the wire. The path is sent unchanged. */
async function ask(path: string, accepts = "gzip, deflate, br") {
  const outgoing = request({ port, host: "127.0.0.1", path, headers: { "accept-encoding": accepts } }).end();
  const [response] = await once(outgoing, "response");
  return { status: response.statusCode, headers: response.headers, body: await bodyOf(response) };
}

test("a script is sent in its smallest encoding to a browser that accepts it, with a permanent cache", async () => {
  const { status, headers, body } = await ask("/_next/static/chunks/a.js?dpl=1");
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-encoding": "br",
    "content-type": "application/javascript; charset=UTF-8",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
  });
  expect(brotliDecompressSync(body).toString()).toBe(SCRIPT);
});

test.each([
  ["a request without that encoding", "/_next/static/chunks/a.js", "gzip"],
  ["a missing file", "/_next/static/chunks/b.js", "br"],
  ["a path that leads out of the folder", "/_next/static/../secret", "br"],
  ["a path outside of the static files", "/chunks/a.js", "br"],
])("%s is left to Next", async (_name, path, accepts) => {
  expect((await ask(path, accepts)).body.toString()).toBe("left to Next");
});
