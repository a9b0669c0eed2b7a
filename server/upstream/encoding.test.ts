import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { gate } from "@/tests/support/gate";
import { UpstreamFault } from "./adapter";
import { readBytes, readText } from "./body";
import { decoded } from "./encoding";

const words = JSON.stringify({ text: "one ".repeat(5_000) });
const MB = 1024 * 1024;

async function* inPieces(bytes: Uint8Array, size: number, fault?: Error) {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
  }
  if (fault) {
    throw fault;
  }
}

test.each([
  ["gzip", gzipSync(words)],
  ["X-GZIP", gzipSync(words)],
  ["deflate", deflateSync(words)],
  ["deflate", deflateRawSync(words)],
  ["br", brotliCompressSync(words)],
  ["zstd", zstdCompressSync(words)],
  ["gzip, br", brotliCompressSync(gzipSync(words))],
  ["identity", Buffer.from(words)],
  // A proxy has changed the body and not its header.
  ["gzip", Buffer.from(words)],
  ["br", Buffer.from(words)],
  ["deflate", Buffer.from(words)],
  ["deflate", gzipSync(words)],
  ["identity", gzipSync(words)],
  [undefined, Buffer.from(words)],
])("an answer in %s is decoded, however it is cut", async (encoding, bytes) => {
  for (const size of [1, 7, bytes.length]) {
    expect(await readText(decoded(inPieces(bytes, size), encoding), MB)).toBe(words);
  }
  expect(await readText(decoded(inPieces(Buffer.alloc(0), 1), encoding), MB)).toBe("");
});

test("an event is decoded before the next one arrives", async () => {
  const { createGzip } = await import("node:zlib");
  const gzip = createGzip();
  gzip.write("data: one\n\n");
  gzip.flush();
  const body = decoded(gzip, "gzip")[Symbol.asyncIterator]();
  expect(String((await body.next()).value)).toBe("data: one\n\n");
  gzip.end("data: two\n\n");
  expect(String((await body.next()).value)).toBe("data: two\n\n");
  expect((await body.next()).done).toBe(true);
});

test.each([
  ["is not in its encoding", inPieces(Buffer.alloc(50, 7), 9), "malformed"],
  ["ends in the middle", inPieces(gzipSync(words).subarray(0, 50), 9), "malformed"],
  ["breaks off", inPieces(gzipSync(words), 9, new UpstreamFault("broken", "cut")), "broken"],
])("an answer that %s is the upstream's fault", async (_, body, reason) => {
  await expect(readText(decoded(body, "gzip"), MB)).rejects.toMatchObject({ reason });
});

test("an answer that grows beyond its bound is not read further", async () => {
  const bomb = gzipSync(Buffer.alloc(100 * MB));
  let read = 0;
  async function* countedPieces() {
    for await (const piece of inPieces(bomb, 1_000)) {
      read += piece.length;
      yield piece;
    }
  }
  await expect(readBytes(decoded(countedPieces(), "gzip"), MB)).rejects.toMatchObject({
    reason: "malformed",
  });
  expect(read).toBeLessThan(bomb.length / 2);
});

test("a reader that stops early ends the answer", async () => {
  let hasEnded = false;
  async function* endless() {
    try {
      const gzip = gzipSync("word ".repeat(100));
      for (;;) {
        yield gzip;
      }
    } finally {
      hasEnded = true;
    }
  }
  for await (const piece of decoded(endless(), "gzip")) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  expect(hasEnded).toBe(true);
});

test("a reader that stops while the upstream is silent, or before it has read anything, ends the answer", async () => {
  for (const reads of [0, 1]) {
    let hasEnded = false;
    const { open, opened } = gate();
    const gzip = gzipSync("word ".repeat(100));
    const pieces = [gzip.subarray(0, 20)];
    const silent: AsyncIterator<Uint8Array> = {
      next: async () => {
        const value = pieces.shift();
        if (value) {
          return { done: false, value };
        }
        await opened;
        return { done: true, value: undefined };
      },
      return: async () => {
        hasEnded = true;
        open();
        return { done: true, value: undefined };
      },
    };
    const body = decoded({ [Symbol.asyncIterator]: () => silent }, "gzip")[Symbol.asyncIterator]();
    const pending = reads > 0 ? body.next().catch(() => null) : null;
    await new Promise((resolve) => setImmediate(resolve));
    await body.return?.();
    await pending;
    expect(hasEnded).toBe(true);
  }
});
