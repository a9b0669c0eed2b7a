import { createServer, type ServerResponse } from "node:http";
import { Agent } from "undici";
import { expect, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { end, listen } from "@/tests/support/listen";
import { readText } from "./body";
import { postCall } from "./http";
import { createPlaces } from "./places";

test("a request that cannot be started gives its place back, and is a fault like any other", async () => {
  const places = createPlaces({ capacity: 2, maxWaiting: 2, patienceMs: 10 });
  const connections = { dispatcher: new Agent(), placesAt: () => places };
  // For this address undici throws before there is anything to await.
  const call = {
    baseUrl: "ftp://127.0.0.1",
    owner: "acc_1",
    headers: {},
    body: "{}",
    secret: "s",
    cancellation: new CancellationSource(),
  };
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(postCall(connections, call, { path: "/v1", headers: {} })).rejects.toMatchObject({
      reason: "unreachable",
    });
  }
});

const startReply = (response: ServerResponse) => void response.writeHead(200).write("word ");
const ends: Record<string, (response: ServerResponse) => void> = {
  "its end": (response) => void response.end("all"),
  "a break": (response) => {
    startReply(response);
    setTimeout(() => response.destroy(), 20);
  },
  "a reader who drops it": startReply,
  "a hang-up": startReply,
};

test.each(Object.entries(ends))("a reply's place is free again after %s", async (how, answer) => {
  const server = createServer((request, response) => {
    request.resume().once("end", () => answer(response));
  });
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  // Of two places, one owner gets one.
  const places = createPlaces({ capacity: 2, maxWaiting: 2, patienceMs: 2_000 });
  const dispatcher = new Agent();
  for (let call = 0; call < 3; call++) {
    const client = new CancellationSource();
    const request = { baseUrl, owner: "acc_1", body: "{}", secret: "s", cancellation: client };
    const reply = await postCall({ dispatcher, placesAt: () => places }, request, { path: "/", headers: {} });
    if (how === "a reader who drops it") {
      reply.discard();
    } else if (how === "a hang-up") {
      client.cancel();
    } else {
      await readText(reply.body, 1_000).catch(() => {});
    }
  }
  await dispatcher.destroy();
  await end(server);
});
