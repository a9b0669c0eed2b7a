import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { Agent, fetch as fetchBy } from "undici";
import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { contextFor, sessionCookie } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { serverEnvironment } from "@/tests/support/gateway";
import { messages, perFile, staged } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { familyOf, isRunning, killHard } from "@/tests/support/process-tree";
import { scrape, servedBy } from "@/tests/support/scraped-metrics";
import { until } from "@/tests/support/until";
import { answerWith, openStreams, type UpstreamHandler } from "@/tests/support/upstream";

/** Reads the ledger and makes changes; calls go to the built server. */
const { gateway, upstream } = staged(answerWith("hello"));
const server = perFile(() =>
  startServer({
    ...serverEnvironment(gateway.databaseUrl),
    LOG_LEVEL: "info",
    WEB_CONCURRENCY: "2",
    MAX_CONCURRENT_CALLS: "8",
  }),
);

/** Uses a new connection for each call, so that chance decides which of two processes accepts it. */
async function call(secret: string, body: object, path = "chat/completions") {
  const dispatcher = new Agent({ pipelining: 0 });
  const response = await fetchBy(`${server.url}/v1/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      connection: "close",
    },
    body: JSON.stringify({ messages, ...body }),
    dispatcher,
  });
  return { status: response.status, headers: response.headers, text: () => response.text() };
}

async function customerOf(answer: UpstreamHandler, limits: Parameters<typeof gateway.customer>[0] = {}) {
  upstream.answer(answer);
  const model = await gateway.model();
  const channel = await gateway.channel({ model, baseUrl: upstream.baseUrl });
  return { model, channel, ...(await gateway.customer(limits)) };
}

const namesInLog = () => new Set(server.output().match(/"process":"gateway-\d"/g));

describe("two processes on one port", () => {
  test.each([
    { whose: "a key's limit", limits: { maxConcurrent: 3 }, maxCalls: 3 },
    { whose: "an account's fair share of all places", limits: {}, maxCalls: 7 },
  ])(
    "admit as many calls at a time as $whose allows, and not twice as many",
    async ({ limits, maxCalls }) => {
      const { answer, finish } = openStreams();
      const { model, secret } = await customerOf(answer, limits);
      const calls = await Promise.all(
        Array.from({ length: 16 }, () => call(secret, { model, stream: true })),
      );
      const statuses = calls.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(maxCalls).fill(200), ...Array(16 - maxCalls).fill(429)]);
      finish();
      await Promise.all(calls.map(({ text }) => text()));
      // The log writes its lines after a moment.
      await eventually(() => namesInLog().size).toBe(2);
    },
  );

  test("never refuse a client with one place that makes one call after the other", async () => {
    const { model, secret } = await customerOf(answerWith("hello"), { maxConcurrent: 1 });
    for (let index = 0; index < 60; index++) {
      const { status, text } = await call(secret, { model, stream: index % 2 === 0 });
      expect(status, `call ${index}`).toBe(200);
      await text();
    }
  });

  /** The calls of an endpoint that no other test of this file calls. */
  const requestsOf = async () => servedBy(await scrape(server), "messages");

  test("have one sum in the metrics, which does not fall when one of them dies", async () => {
    const { model, secret } = await customerOf(answerWith("hello"));
    for (let index = 0; index < 10; index++) {
      await (await call(secret, { model, max_tokens: 10 }, "messages")).text();
    }
    // A process that is too busy to report in time is counted with its former values.
    await eventually(requestsOf).toBe(10);
    const killed = familyOf(server).find(({ name }) => name === "gateway-1")?.pid ?? 0;
    killHard(killed);
    const isReplaced = () =>
      familyOf(server).some(({ name, pid }) => name === "gateway-1" && pid !== killed && isRunning(pid));
    await until(isReplaced, 30_000);
    await eventually(requestsOf, 30_000).toBe(10);
    const metrics = await scrape(server);
    expect(metrics).toContain('tollgate_process_ends_total{process="gateway-1"} 1');
    for (const name of ["parent", "console", "gateway-2"]) {
      expect(metrics).toMatch(new RegExp(`tollgate_process_resident_bytes\\{process="${name}"\\} \\d{7,}`));
    }
  });
});

describe("the console in a process of its own", () => {
  test("ignores an address that a client claims in a header", async () => {
    const { viewer } = await contextFor(gateway, { role: "operator" });
    const email = `${randomUUID()}@example.com`;
    const added = await fetch(`${server.url}/api/trpc/users.add`, {
      method: "POST",
      headers: {
        cookie: await sessionCookie(gateway, viewer?.sessionId ?? ""),
        "content-type": "application/json",
        "x-tollgate-peer": "203.0.113.9",
        "x-forwarded-for": "203.0.113.9",
      },
      body: JSON.stringify({ accountId: null, email }),
    });
    expect(added.status).toBe(200);
    const rows = await sqlOf(gateway.runtime.db)<{ address: string }[]>`
      select address from audit_entries order by id desc limit 1`;
    expect(rows).toEqual([{ address: "127.0.0.1" }]);
  });

  test.each(["/x/../v1/models", "/x/../admin/v1/accounts"])(
    "does not serve an API call that is disguised as %s",
    async (path) => {
      // Sends the path unchanged: `fetch` would normalise it.
      const clientRequest = request(server.url, { path, agent: false }).end();
      const [answer] = await once(clientRequest, "response");
      answer.resume();
      expect(answer.statusCode).toBe(404);
    },
  );

  test("is unavailable only while it is replaced, and says so in both languages", async () => {
    const { model, secret } = await customerOf(answerWith("hello"));
    const killed = familyOf(server).find(({ name }) => name === "console")?.pid ?? 0;
    killHard(killed);
    await until(() => !isRunning(killed));
    const page = await fetch(`${server.url}/sign-in`, { headers: { "accept-language": "en" } });
    expect([page.status, page.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(await page.text()).toMatch(/starting again/);
    const chinese = await fetch(`${server.url}/sign-in`, { headers: { "accept-language": "zh-CN" } });
    expect(await chinese.text()).toMatch(/重新启动/);
    const admin = await fetch(`${server.url}/admin/v1/accounts`);
    expect(await admin.json()).toMatchObject({ code: 503, data: null });
    expect((await call(secret, { model })).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await eventually(async () => (await fetch(`${server.url}/sign-in`)).status, 30_000).toBe(200);
  });
});

test("a server whose port is in use does not start, and says why", async () => {
  const child = spawn(process.execPath, ["dist/main.js"], {
    env: {
      PATH: process.env.PATH ?? "",
      NODE_ENV: "production",
      ...serverEnvironment(gateway.databaseUrl),
      WEB_CONCURRENCY: "2",
      PORT: new URL(server.url).port,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (text) => (output += text));
  const late = setTimeout(() => child.kill("SIGTERM"), 40_000);
  expect(await once(child, "exit")).toEqual([1, null]);
  clearTimeout(late);
  expect(output).toMatch(/^Port \d+ of 127\.0\.0\.1 is in use\. Set PORT to another port\.$/m);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});
