import { once } from "node:events";
import { Agent, request } from "undici";
import { expect, test } from "vitest";
import { serverEnvironment } from "@/tests/support/gateway";
import { perFile, servedModel } from "@/tests/support/per-file";
import { type ServerProcess, startServer } from "@/tests/support/process";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { sleep, until } from "@/tests/support/until";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerWith("Hello there", usage(7, 3))));
const model = servedModel({ gateway, upstream });

const environment = () => ({
  ...serverEnvironment(gateway.databaseUrl),
  WEB_CONCURRENCY: "1",
  LAME_DUCK_SECONDS: "3",
});
const start = (more: Record<string, string> = {}) => startServer({ ...environment(), ...more });

/** A client that keeps its connections. */
function clientOf({ url }: ServerProcess, secret: string) {
  const dispatcher = new Agent({ keepAliveTimeout: 60_000 });
  const call = async () => {
    const { statusCode, headers, body } = await request(`${url}/v1/chat/completions`, {
      dispatcher,
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
    });
    await body.text();
    return [statusCode, headers.connection];
  };
  return { call, close: () => dispatcher.destroy() };
}

const readiness = async ({ url }: ServerProcess) => {
  const response = await fetch(`${url}/readyz`, { headers: { connection: "close" } });
  return [response.status, await response.text()];
};

test("after SIGTERM it says that it goes, serves on, and ends the connections that clients hold", async () => {
  const { secret } = await gateway.customer();
  const server = await start();
  const client = clientOf(server, secret);
  expect(await client.call()).toEqual([200, "keep-alive"]);
  const ended = once(server.child, "exit");
  const since = performance.now();
  server.child.kill("SIGTERM");
  await until(async () => (await readiness(server))[0] === 503);
  expect(await readiness(server)).toEqual([503, "draining"]);
  expect(await client.call()).toEqual([200, "close"]);
  await sleep(1_500);
  expect(await client.call(), "a new connection, a while later").toEqual([200, "close"]);
  expect(await ended).toEqual([0, null]);
  expect(performance.now() - since).toBeGreaterThan(3_000);
  await client.close();
});

test("npm passes SIGTERM on, and stays until the server is done: it may be the first process of a container", async () => {
  const { secret } = await gateway.customer();
  const server = await startServer(environment(), ".", ["npm", "start"]);
  const client = clientOf(server, secret);
  const ended = once(server.child, "exit");
  const since = performance.now();
  server.child.kill("SIGTERM");
  await until(async () => (await readiness(server))[0] === 503);
  await sleep(1_500);
  expect(await client.call()).toEqual([200, "close"]);
  await ended;
  expect(performance.now() - since).toBeGreaterThan(3_000);
  await client.close();
});

test.each([
  { name: "SIGINT", signals: ["SIGINT"] },
  { name: "a second SIGTERM", signals: ["SIGTERM", "SIGTERM"] },
] as const)("$name waits for no balancer", async ({ signals }) => {
  const server = await start({ LAME_DUCK_SECONDS: "600" });
  const ended = once(server.child, "exit");
  for (const signal of signals) {
    server.child.kill(signal);
    await sleep(200);
  }
  expect(await ended).toEqual([0, null]);
});

test("SIGHUP ends nothing, neither of the server nor of its processes", async () => {
  const { secret } = await gateway.customer();
  const server = await start();
  const client = clientOf(server, secret);
  expect(await client.call()).toEqual([200, "keep-alive"]);
  server.child.kill("SIGHUP");
  await sleep(500);
  expect(server.child.exitCode).toBeNull();
  expect(await client.call()).toEqual([200, "keep-alive"]);
  await client.close();
  await server.stop();
});

test("a call on a connection that was idle when the server stopped listening is answered", async () => {
  const { secret } = await gateway.customer();
  const server = await start({ LAME_DUCK_SECONDS: "0" });
  const clients = Array.from({ length: 10 }, () => clientOf(server, secret));
  await Promise.all(clients.map(({ call }) => call()));
  const ended = once(server.child, "exit");
  server.child.kill("SIGTERM");
  // By now nobody new gets in.
  await until(
    async () =>
      (await fetch(`${server.url}/healthz`, { headers: { connection: "close" } }).catch(() => null)) === null,
  );
  expect(await Promise.all(clients.map(({ call }) => call()))).toEqual(Array(10).fill([200, "close"]));
  await ended;
  await Promise.all(clients.map(({ close }) => close()));
});
