import { createServer, get } from "node:http";
import { expect, test } from "vitest";
import { end, listen } from "@/tests/support/listen";
import { jsonReply, type Reply, toResponse, untilTaken, writeReply } from "./reply";

test("a slow reader leaves no listeners behind, and gets the whole body", async () => {
  const piece = "x".repeat(64 * 1024);
  let maxListeners = 0;
  const server = createServer((_incoming, outgoing) => {
    async function* body() {
      for (let count = 0; count < 200; count++) {
        maxListeners = Math.max(
          maxListeners,
          outgoing.listenerCount("close"),
          outgoing.listenerCount("drain"),
        );
        yield piece;
      }
    }
    void writeReply({ status: 200, headers: {}, body: body() }, outgoing);
  });
  const port = await listen(server);
  let size = 0;
  await new Promise<void>((resolve) => {
    get({ port, agent: false }, async (reply) => {
      for await (const chunk of reply) {
        size += (chunk as Buffer).byteLength;
        await new Promise(setImmediate);
      }
      resolve();
    });
  });
  expect(size).toBe(200 * piece.length);
  expect(maxListeners).toBeLessThan(6);
  server.close();
});

async function serve(reply: () => Reply, read: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_incoming, outgoing) => void writeReply(reply(), outgoing));
  await read(`http://127.0.0.1:${await listen(server)}`);
  await end(server);
}

const bytes = new Uint8Array([0, 255, 254, 0xc3]);

test("pieces may be bytes, which reach the client unchanged from both servers", async () => {
  async function* body() {
    yield bytes;
    yield "é";
  }
  const expected = Buffer.concat([bytes, Buffer.from("é")]);
  const reply = () => ({ status: 206, headers: { "content-type": "video/mp4" }, body: body() });
  expect(expected.equals(Buffer.from(await toResponse(reply()).arrayBuffer()))).toBe(true);
  await serve(reply, async (url) => {
    const response = await fetch(url);
    expect(response.status).toBe(206);
    expect(expected.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });
});

test("a reply whose pieces end with an exception breaks off", async () => {
  async function* body() {
    yield bytes;
    throw new Error("the file is gone");
  }
  const reply = () => ({ status: 200, headers: {}, body: body() });
  await expect(toResponse(reply()).arrayBuffer()).rejects.toThrow();
  await serve(reply, async (url) => {
    const read = fetch(url).then((response) => response.arrayBuffer());
    await expect(read).rejects.toThrow();
  });
});

test("an answer to HEAD ends with its head, and its body is closed", async () => {
  let isReturned = false;
  let count = 0;
  async function* body() {
    try {
      for (; count < 100; count++) {
        yield bytes;
      }
    } finally {
      isReturned = true;
    }
  }
  const reply = () => ({ status: 200, headers: { "content-length": "400" }, body: body() });
  await serve(reply, async (url) => {
    const response = await fetch(url, { method: "HEAD" });
    expect(response.headers.get("content-length")).toBe("400");
    expect(isReturned).toBe(true);
    expect(count).toBeLessThan(2);
  });
});

/** A reply with this text, and how often its call has ended. */
async function takenReply(text: string) {
  let ends = 0;
  const reply = untilTaken({ ...jsonReply(200, null), body: text }, () => void ends++);
  return { ...reply, ends: () => ends };
}

test("a small text counts as taken at once", async () => {
  const { body, ends } = await takenReply("x".repeat(1_000));
  expect([typeof body, ends()]).toEqual(["string", 1]);
});

test.each([
  ["of one byte a character", "x".repeat(1_000_000)],
  ["with pairs of surrogates at the end of a piece", `${"x".repeat(262_143)}${"😀".repeat(300_000)}`],
])(
  "a call with a large text lasts until the text is taken, and the text is sent whole: %s",
  async (_what, text) => {
    const { body, headers, ends } = await takenReply(text);
    const pieces: Buffer[] = [];
    for await (const piece of typeof body === "string" ? [body] : body) {
      expect(ends()).toBe(0);
      pieces.push(Buffer.from(piece));
    }
    const whole = Buffer.concat(pieces);
    expect([pieces.length > 1, ends(), whole.toString() === text]).toEqual([true, 1, true]);
    expect(headers["content-length"]).toBe(String(whole.byteLength));
  },
);

test("a large text that its reader gives up ends its call", async () => {
  const { body, ends } = await takenReply("x".repeat(1_000_000));
  if (typeof body !== "string") {
    await body.next();
    await body.return(undefined);
  }
  expect(ends()).toBe(1);
});
