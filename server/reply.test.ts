import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { writeReply } from "./reply";

test("a reader however slow leaves no listeners behind, and gets everything", async () => {
  const piece = "x".repeat(64 * 1024);
  let most = 0;
  const server = createServer((_incoming, outgoing) => {
    async function* body() {
      for (let count = 0; count < 200; count++) {
        most = Math.max(most, outgoing.listenerCount("close"), outgoing.listenerCount("drain"));
        yield piece;
      }
    }
    void writeReply({ status: 200, headers: {}, body: body() }, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let size = 0;
  await new Promise<void>((resolve) => {
    get({ port: (server.address() as AddressInfo).port, agent: false }, async (reply) => {
      for await (const chunk of reply) {
        size += (chunk as Buffer).byteLength;
        await new Promise(setImmediate);
      }
      resolve();
    });
  });
  expect(size).toBe(200 * piece.length);
  expect(most).toBeLessThan(6);
  server.close();
});
