import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Agent, request } from "undici";
import { expect, test } from "vitest";
import { createHttpServer } from "@/server/process/http";
import { closeServer } from "@/server/process/stopping";
import { serverEnvironment, startGateway } from "@/tests/support/gateway";
import { served } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { familyOf } from "@/tests/support/process-tree";
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

test("SIGHUP ends nothing; after SIGTERM a server reports that it drains, serves on, and closes its clients' connections; a second SIGTERM ends the wait for the load balancer", async () => {
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

test("npm passes SIGTERM on and stays until the server is done, as the first process of a container must", async () => {
  const server = await startServer(environment("3"), ".", ["npm", "start"]);
  const ended = once(server.child, "exit");
  const since = performance.now();
  server.child.kill("SIGTERM");
  await until(() => server.output().includes("SIGTERM: finishing what is under way"));
  await ended;
  expect(performance.now() - since).toBeGreaterThan(3_000);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
});

test("SIGINT does not wait for the load balancer", async () => {
  const server = await startServer(environment("600"));
  const ended = once(server.child, "exit");
  server.child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});

/** Sends a request on a new connection. Resolves to the status of its answer, or to the error of the connection. */
const askOnNew = (url: string, path: string, onConnect = () => {}) =>
  new Promise<string>((resolve) => {
    const { hostname, port } = new URL(url);
    let answer = "";
    connect(Number(port), hostname)
      .on("connect", onConnect)
      .on("data", (text) => (answer += text))
      .on("error", ({ message }) => resolve(message))
      .on("close", () => resolve(answer.split("\r\n", 1)[0] ?? ""))
      .end(`GET ${path} HTTP/1.1\r\nhost: tollgate\r\nconnection: close\r\n\r\n`);
  });

const CLIENTS = 200;

test("a server that stops while clients wait to be accepted resets none of them", async () => {
  const own = await startGateway({ env: { LAME_DUCK_SECONDS: "0" } });
  const server = createHttpServer(own.runtime, () => ({ status: 404, headers: {}, body: "" }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = Array.from({ length: CLIENTS }, () => askOnNew(url, "/healthz"));
  // The kernel has made all connections by the next tick, and the event loop has accepted none.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const closed = closeServer(server, own.runtime, new AbortController().signal);
  expect(await Promise.all(answers)).toEqual(Array(CLIENTS).fill("HTTP/1.1 200 OK"));
  await closed;
  await own.close();
});

test("a built server whose processes stand still while clients connect accepts all of them after SIGTERM", async () => {
  const server = await startServer({ ...environment("0"), WEB_CONCURRENCY: "2" });
  const gateways = familyOf(server).filter(({ name }) => name.startsWith("gateway"));
  expect(gateways).toHaveLength(2);
  const signalAll = (signal: "SIGSTOP" | "SIGCONT") =>
    gateways.forEach(({ pid }) => void process.kill(pid, signal));
  signalAll("SIGSTOP");
  let connected = 0;
  const answers = Array.from({ length: CLIENTS }, () =>
    askOnNew(server.url, "/healthz", () => void connected++),
  );
  await until(() => connected === CLIENTS);
  const ended = once(server.child, "exit");
  server.child.kill("SIGTERM");
  await until(() => server.output().includes("SIGTERM: finishing what is under way"));
  signalAll("SIGCONT");
  expect(await Promise.all(answers)).toEqual(Array(CLIENTS).fill("HTTP/1.1 200 OK"));
  expect(await ended).toEqual([0, null]);
});

test("a call on a connection that was idle when the server stopped listening is answered", async () => {
  const timers = virtualTimers();
  const own = await startGateway({ timers, env: { LAME_DUCK_SECONDS: "0" } });
  const served = await own.model();
  await own.channel({ model: served, baseUrl: upstream.baseUrl });
  const { secret } = await own.customer();
  const server = createHttpServer(own.runtime, () => ({ status: 404, headers: {}, body: "" }));
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
