import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainReply, writeReply } from "@/server/base/reply";
import { connectTo } from "@/tests/support/raw-request";
import { until } from "@/tests/support/until";
import { virtualTimers } from "@/tests/support/virtual-clock";
import { nodeRequest } from "./node-request";

const timers = virtualTimers();
/** Refuses every request without reading its body. */
const server = createServer((incoming, outgoing) => {
  nodeRequest(incoming, outgoing, timers);
  void writeReply(plainReply(401, "refused"), outgoing);
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const head = (length: number, more = "") =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: here\r\nContent-Length: ${length}\r\n${more}\r\n`;

test("a client that sends on after its refusal gets the refusal, and its connection serves the next request", async () => {
  const socket = connectTo(url);
  let answers = "";
  const refused = new Promise((first) => {
    socket.on("data", (piece) => {
      answers += String(piece);
      first(null);
    });
  });
  const closed = new Promise((close) => socket.once("close", close));
  socket.write(`${head(8)}begin`);
  await refused;
  socket.write(`end${head(3, "Connection: close\r\n")}all`);
  await closed;
  expect(answers.match(/HTTP\/1\.1 401 /g)).toHaveLength(2);
});

test.each([
  ["with pauses", 1, 50],
  ["as fast as it can", 1024 * 1024, 0],
])("a client that sends on endlessly, %s, is cut off after five seconds", async (_how, bytes, pauseMs) => {
  const socket = connectTo(url);
  let answer = "";
  const refused = new Promise((first) => {
    socket.on("data", (piece) => {
      answer += String(piece);
      first(null);
    });
  });
  socket.on("error", () => {});
  const closed = new Promise((close) => socket.once("close", close));
  socket.write(head(1e12));
  const piece = Buffer.alloc(bytes);
  const send = () => {
    if (!socket.destroyed) {
      socket.write(piece, () => setTimeout(send, pauseMs));
    }
  };
  send();
  await refused;
  const sent = socket.bytesWritten;
  timers.advance(4_999);
  // The server still reads.
  await until(() => socket.bytesWritten > sent);
  timers.advance(1);
  await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});
