import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";
import { expect, test } from "vitest";
import { createHttpServer } from "@/server/process/http";
import { closeServer } from "@/server/process/stopping";
import { serverEnvironment, startGateway } from "@/tests/support/gateway";
import { served } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { sleep, until } from "@/tests/support/until";
import { answerWith, usage } from "@/tests/support/upstream";
import { virtualTimers } from "@/tests/support/virtual-clock";

const { gateway, upstream, model } = served(answerWith("Hello there", usage(7, 3)));

const environment = (lameDuckSeconds: string) => ({
  ...serverEnvironment(gateway.databaseUrl),
  LAME_DUCK_SECONDS: lameDuckSeconds,
});

/** A client that keeps its connections. */
function clientOf({ url }: { url: string }, secret: string, called = model) {
  const dispatcher = new Agent({ keepAliveTimeout: 60_000 });
  const call = async () => {
    const { statusCode, headers, body } = await request(`${url}/v1/chat/completions`, {
      dispatcher,
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: called, messages: [{ role: "user", content: "hi" }] }),
    });
    await body.text();
    return [statusCode, headers.connection];
  };
  return { call, close: () => dispatcher.destroy() };
}

const readiness = async ({ url }: { url: string }) => {
  const response = await fetch(`${url}/readyz`, { headers: { connection: "close" } });
  return [response.status, await response.text()];
};

test("SIGHUP ends nothing; after SIGTERM it says that it goes, serves on, and ends the connections that clients hold; a second SIGTERM waits for no balancer", async () => {
  const { secret } = await gateway.customer();
  const server = await startServer(environment("600"));
  const client = clientOf(server, secret);
  expect(await client.call()).toEqual([200, "keep-alive"]);
  server.child.kill("SIGHUP");
  await sleep(500);
  expect(server.child.exitCode).toBeNull();
  expect(await client.call(), "after SIGHUP").toEqual([200, "keep-alive"]);
  const ended = once(server.child, "exit");
  server.child.kill("SIGTERM");
  await until(async () => (await readiness(server))[0] === 503);
  expect(await readiness(server)).toEqual([503, "draining"]);
  expect(await client.call()).toEqual([200, "close"]);
  expect(await client.call(), "a new connection").toEqual([200, "close"]);
  server.child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await client.close();
});

test("npm passes SIGTERM on, and stays until the server is done: it may be the first process of a container", async () => {
  const server = await startServer(environment("3"), ".", ["npm", "start"]);
  const ended = once(server.child, "exit");
  const since = performance.now();
  server.child.kill("SIGTERM");
  await until(() => server.output().includes("SIGTERM: finishing what is under way"));
  await ended;
  expect(performance.now() - since).toBeGreaterThan(3_000);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
});

test("SIGINT waits for no balancer", async () => {
  const server = await startServer(environment("600"));
  const ended = once(server.child, "exit");
  server.child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});

test("a call on a connection that was idle when the server stopped listening is answered", async () => {
  const timers = virtualTimers();
  const own = await startGateway({ timers, env: { LAME_DUCK_SECONDS: "0" } });
  const served = await own.model();
  await own.channel({ model: served, baseUrl: upstream.baseUrl });
  const { secret } = await own.customer();
  const server = createHttpServer(own.runtime, (_incoming, outgoing) => void outgoing.writeHead(404).end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients = Array.from({ length: 10 }, () => clientOf({ url }, secret, served));
  await Promise.all(clients.map(({ call }) => call()));
  // The clock does not move, so the second for which idle connections stay open does not pass.
  const closed = closeServer(server, own.runtime, new AbortController().signal);
  const look = () => fetch(`${url}/healthz`, { headers: { connection: "close" } });
  await until(async () => (await look().catch(() => null)) === null);
  expect(await Promise.all(clients.map(({ call }) => call()))).toEqual(Array(10).fill([200, "close"]));
  await closed;
  await Promise.all(clients.map(({ close }) => close()));
  await own.close();
});
