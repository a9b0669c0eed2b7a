import { once } from "node:events";
import { createServer, get, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHttpServer } from "@/server/process/http";
import { toConsole } from "@/server/process/to-console";
import { collectItems } from "@/tests/support/collect-items";
import { perFile, temporaryDirectory } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { until } from "@/tests/support/until";

const gateway = perFile(sharedGateway);
const socket = join(temporaryDirectory(), "console");

/** A server in place of the console's process. Requests reach it as they do in a gateway. */
let answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void = () => {};
const console = createServer((incoming, outgoing) => answer(incoming, outgoing));
let url = "";

beforeAll(async () => {
  console.listen(socket);
  await once(console, "listening");
  const front = createHttpServer(gateway.runtime, toConsole(gateway.runtime, socket));
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  afterAll(() => {
    front.closeAllConnections();
    front.close();
  });
});
afterAll(() => {
  console.closeAllConnections();
  console.close();
});

/** The bytes that sockets and streams of both connections buffer. */
const ON_THE_WAY = 24 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, "x");

/** Returns `count()` once it has not changed for half a second. */
async function stableCount(count: () => number): Promise<number> {
  for (let before = -1; count() !== before; ) {
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return count();
}

test("an export that its client does not read is not generated, and continues when it is read", async () => {
  let written = 0;
  answer = async (_, outgoing) => {
    outgoing.writeHead(200, { "content-type": "text/csv" });
    while (written < 4 * ON_THE_WAY) {
      written += PIECE.length;
      if (!outgoing.write(PIECE)) {
        await once(outgoing, "drain");
      }
    }
    outgoing.end();
  };
  const clientRequest = get(`${url}/api/export/ledger`);
  const [response] = (await once(clientRequest, "response")) as [IncomingMessage];
  response.pause();
  expect(await stableCount(() => written)).toBeLessThan(ON_THE_WAY);
  const pieces = (await collectItems(response)) as Buffer[];
  expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(written);
  expect(written).toBeGreaterThanOrEqual(4 * ON_THE_WAY);
});

test("a body that the console does not read is not taken from its client", async () => {
  let take = () => {};
  let bytesRead = 0;
  answer = (incoming, outgoing) => {
    take = () => {
      incoming.on("data", (piece: Buffer) => (bytesRead += piece.length));
      incoming.on("end", () => outgoing.end("thanks"));
    };
  };
  const length = 4 * ON_THE_WAY;
  const clientRequest = request(`${url}/api/playground/chat/completions`, {
    method: "POST",
    headers: { "content-length": length },
  });
  let bytesSent = 0;
  const sending = (async () => {
    while (bytesSent < length) {
      bytesSent += PIECE.length;
      if (!clientRequest.write(PIECE)) {
        await once(clientRequest, "drain");
      }
    }
    clientRequest.end();
  })();
  expect(await stableCount(() => bytesSent)).toBeLessThan(ON_THE_WAY);
  take();
  const [response] = (await once(clientRequest, "response")) as [IncomingMessage];
  await sending;
  expect([response.statusCode, bytesRead]).toEqual([200, length]);
});

test.each(["before an answer has begun", "in the middle of an answer", "in the middle of its body"])(
  "a client that hangs up %s ends its request in the console, too",
  async (when) => {
    let isAsked = false;
    let isOver = false;
    answer = (incoming, outgoing) => {
      isAsked = true;
      incoming.resume();
      outgoing.on("close", () => (isOver = true));
      if (when === "in the middle of an answer") {
        outgoing.writeHead(200).write("word");
      }
    };
    const hasMore = when === "in the middle of its body";
    const clientRequest = request(`${url}/api/playground/messages`, {
      method: "POST",
      headers: { "content-length": hasMore ? 10 : 1 },
    });
    clientRequest.on("error", () => {});
    const answered =
      when === "in the middle of an answer" ? once(clientRequest, "response") : Promise.resolve();
    clientRequest.write("x");
    if (!hasMore) {
      clientRequest.end();
    }
    await until(() => isAsked);
    await answered;
    expect(isOver).toBe(false);
    clientRequest.destroy();
    await until(() => isOver, 2_000);
  },
);

test("a body that was refused before its end delays no later request on the same connection", async () => {
  answer = (incoming, outgoing) => void outgoing.writeHead(incoming.method === "POST" ? 400 : 200).end();
  const connection = connect(Number(new URL(url).port), "127.0.0.1");
  let answers = "";
  connection.on("data", (text) => (answers += text));
  const head = (method: string, bytes: number) =>
    `${method} /admin/v1/keys HTTP/1.1\r\nhost: gateway\r\ncontent-length: ${bytes}\r\n\r\n`;
  const bytes = 6 * 1024 * 1024;
  connection.write(head("POST", bytes));
  connection.write(Buffer.alloc(bytes, "x"));
  await until(() => answers.includes("HTTP/1.1 400"));
  connection.write(head("GET", 0));
  await until(() => answers.includes("HTTP/1.1 200"));
  connection.destroy();
});

test("a request before the console has ever listened waits for it, and a later one does not", async () => {
  const late = join(temporaryDirectory(), "console");
  let listens = () => {};
  const firstConsole = new Promise<void>((resolve) => {
    listens = resolve;
  });
  const front = createHttpServer(gateway.runtime, toConsole(gateway.runtime, late, firstConsole));
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const ask = () => fetch(`http://127.0.0.1:${(front.address() as AddressInfo).port}/sign-in`);
  let status = 0;
  const asked = ask().then((response) => {
    status = response.status;
  });
  await once(front, "request");
  const started = createServer((_, outgoing) => void outgoing.end("page"));
  started.listen(late);
  await once(started, "listening");
  expect(status).toBe(0);
  listens();
  await asked;
  expect(status).toBe(200);
  started.closeAllConnections();
  started.close();
  await until(() => !started.listening);
  expect((await ask()).status).toBe(503);
  front.closeAllConnections();
  front.close();
});

test("while the database is away at a start, the console's pages say so at once, in the reader's language", async () => {
  const front = createHttpServer(
    gateway.runtime,
    toConsole(gateway.runtime, join(temporaryDirectory(), "none"), null),
  );
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const ask = async (language: string) => {
    const address = `http://127.0.0.1:${(front.address() as AddressInfo).port}/sign-in`;
    const response = await fetch(address, { headers: { "accept-language": language } });
    return `${response.status} ${await response.text()}`;
  };
  expect(await ask("en")).toMatch(/^503 The database is away\. .* The console can show nothing until/);
  expect(await ask("zh-CN")).toMatch(/^503 数据库不可用/);
  front.closeAllConnections();
  front.close();
});
