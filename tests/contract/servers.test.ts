import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import nextConfig from "@/next.config.mjs";
import { MAX_BODY_BYTES } from "@/server/gateway";
import { contextFor, sessionCookie } from "@/tests/support/console";
import { freePort } from "@/tests/support/free-port";
import { postTo, serverEnvironment } from "@/tests/support/gateway";
import { messages, perFile, served } from "@/tests/support/per-file";
import { startServer, waitForBuild } from "@/tests/support/process";
import { firstLineOf } from "@/tests/support/raw-request";
import { until } from "@/tests/support/until";
import { answerWith, beginEvents, chatDelta, sendJson, usage } from "@/tests/support/upstream";
import { oneVideoPrice } from "@/tests/support/video-client";

const { gateway, upstream, model } = served(answerWith("Hello there", usage(7, 3)));

/** Plain `next start`, without server/process/main.ts. */
async function startNext(env: Record<string, string>) {
  await waitForBuild();
  const port = await freePort();
  const words = ["node_modules/next/dist/bin/next", "start", "--port", String(port)];
  const environment = { PATH: process.env.PATH ?? "", NODE_ENV: "production" as const, ...env };
  const child = spawn(process.execPath, words, { env: environment, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/v1/models`).catch(() => null))?.ok === true, 60_000);
  const stop = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, stop };
}

const lean = perFile(() => startServer(serverEnvironment(gateway.databaseUrl)));
const next = perFile(() => startNext(serverEnvironment(gateway.databaseUrl)));

/**
 * Sends a request with an offer to change the protocol. Returns the first line of the answer, or how the connection
 * ended.
 */
const offer = (path: string, protocol: string, more = "") => {
  const wish = `Connection: Upgrade${more && ", HTTP2-Settings"}\r\nUpgrade: ${protocol}\r\n${more}`;
  return firstLineOf(lean.url, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${wish}\r\n`);
};

test("a client that offers another protocol is answered in HTTP/1.1, and no connection hangs", async () => {
  // Next listens for upgrades only after its first request.
  await fetch(`${lean.url}/sign-in`);
  expect(await offer("/v1/models", "h2c", "HTTP2-Settings: AAEAAEAA\r\n")).toBe("HTTP/1.1 200 OK");
  expect(await offer("/healthz", "websocket")).toBe("HTTP/1.1 200 OK");
  expect(await offer("/_next/webpack-hmr", "websocket")).toMatch(/^HTTP\/1\.1 404/);
});

test("the console accepts no larger body than its pages send, and none without a length", async () => {
  const { viewer } = await contextFor(gateway, { role: "operator" });
  const headers = { cookie: await sessionCookie(gateway, viewer?.sessionId ?? "") };
  const post = async (path: string, size: number) => {
    const body = Buffer.alloc(size);
    const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body });
    return [response.status, response.headers.get("content-type")];
  };
  const limits = {
    "/api/auth/callback/credentials": 64 * 1024,
    "/api/trpc/keys.list,models.list?batch=1": 1024 * 1024,
    "/api/playground/chat/completions": 32 * 1024 * 1024,
    "/api/playground/%2e%2e/auth/callback/credentials": 64 * 1024,
    "/keys": 64 * 1024,
  };
  for (const [path, bytes] of Object.entries(limits)) {
    // No route follows this server, so a 404 means that it let the body through.
    expect([path, ...(await post(path, bytes))]).toEqual([path, 404, null]);
    expect([path, ...(await post(path, bytes + 1))]).toEqual([path, 413, "text/plain"]);
  }
  const body = new Blob(["a"]).stream();
  const init = { method: "POST", body, duplex: "half" } as RequestInit;
  expect((await fetch(`${gateway.url}/api/trpc/keys.list`, init)).status).toBe(411);
});

test("Next passes on as much of a body as the console accepts", () => {
  expect(nextConfig.experimental?.proxyClientMaxBodySize).toBe(MAX_BODY_BYTES);
});

describe.each(["lean server", "next start"])("the same route modules under the %s", (name) => {
  const url = () => (name === "lean server" ? lean.url : next.url);
  const call = (secret: string, body: object, headers = {}) =>
    postTo(url())(secret, "chat/completions", { model, messages, ...body }, { headers });

  test("answer, stream and charge", async () => {
    const { secret, accountId } = await gateway.customer();
    expect(await (await call(secret, {})).json()).toMatchObject({ model, usage: usage(7, 3) });
    const streamed = await (await call(secret, { stream: true })).text();
    expect(streamed.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(await gateway.balance(accountId)).toMatchObject({ used: 26_000n, frozen: 0n });
  });

  test("serve a video from its task to its bytes", async () => {
    const { secret } = await gateway.customer();
    const film = Buffer.from([0, 255, 254, 0xc3, 7]);
    upstream.answer((call, response) => {
      if (call.path.endsWith("/content")) {
        response.writeHead(206, { "content-type": "video/mp4", "content-range": "bytes 0-4/9" }).end(film);
      } else {
        sendJson(response, 200, { id: "up-1", status: "completed" });
      }
    });
    const video = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("1.2") });
    // Its vendor numbers the tasks of both servers alike, so each server has its own vendor.
    const baseUrl = upstream.baseUrl.replace("/v1", `/${video}/v1`);
    await gateway.channel({ model: video, dialect: "openai-video", baseUrl });
    const headers = { authorization: `Bearer ${secret}` };
    const tasks = `${url()}/v1/videos/generations`;
    const order = { model: video, prompt: "a cat" };
    let task: Record<string, unknown> = {};
    // A notice tells the other processes of the model.
    await until(async () => {
      const response = await postTo(url())(secret, "videos/generations", order);
      task = (await response.json()) as Record<string, unknown>;
      return response.status === 202;
    });
    const path = `${tasks}/${task.id}`;
    await until(async () => {
      task = (await (await fetch(path, { headers })).json()) as Record<string, unknown>;
      return task.status === "completed";
    }, 30_000);
    expect(task).toMatchObject({ progress: 100, usage: { total_cost: 1.2 } });
    expect(String(task.video_url)).toMatch(`${path}/content?expires=`);
    const content = await fetch(String(task.video_url), { headers: { range: "bytes=0-4" } });
    expect(content.status).toBe(206);
    expect(content.headers.get("content-range")).toBe("bytes 0-4/9");
    expect(film.equals(Buffer.from(await content.arrayBuffer()))).toBe(true);
    expect((await fetch(`${tasks}/a%00b`, { headers })).status).toBe(404);
    upstream.answer(answerWith("Hello there", usage(7, 3)));
  });

  test("do not let a header bypass an allow-list", async () => {
    const { secret } = await gateway.customer({ allowedIps: ["10.0.0.0/8"] });
    expect((await call(secret, {}, { "x-forwarded-for": "10.0.0.1" })).status).toBe(403);
  });

  test("charge a client that hangs up in mid-stream for what it got", async () => {
    let upstreamClosed = false;
    upstream.answer((_asked, response) => {
      beginEvents(response, chatDelta({ role: "assistant", content: "one two three" }));
      response.once("close", () => (upstreamClosed = true));
    });
    const { secret, accountId } = await gateway.customer();
    const reader = (await call(secret, { stream: true })).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await until(() => upstreamClosed);
    await until(async () => (await gateway.entries(accountId)).length === 1);
    expect(await gateway.entries(accountId)).toMatchObject([{ kind: "capture", usageSource: "estimated" }]);
    upstream.answer(answerWith("Hello there", usage(7, 3)));
  });
});

test("under plain next start a header with another address gives no more guesses at a password", async () => {
  const csrf = await fetch(`${next.url}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const cookie = csrf.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const guess = async (at: number) => {
    const email = `nobody-${at}@tollgate.test`;
    const answer = await fetch(`${next.url}/api/auth/callback/credentials`, {
      method: "POST",
      headers: { cookie, "x-forwarded-for": `203.0.113.${at}` },
      body: new URLSearchParams({ csrfToken, email, password: "wrong", json: "true" }),
    });
    return ((await answer.json()) as { url: string }).url;
  };
  const ends = await Promise.all(Array.from({ length: 40 }, (_, at) => guess(at)));
  expect(ends.filter((url) => url.includes("error=throttled")).length).toBeGreaterThan(0);
});

test("both servers check a large body in a thread before its call is paid, and refuse it alike", async () => {
  const { secret } = await gateway.customer({ quota: "0" });
  const text = "a".repeat(1024 * 1024);
  const bodies = {
    402: { model, messages: [{ role: "user", content: text }] },
    400: { model, messages: [{ content: text }] },
    404: { model: "none", messages: [{ role: "user", content: text }] },
  };
  for (const { url } of [lean, next]) {
    for (const [status, body] of Object.entries(bodies)) {
      const response = await postTo(url)(secret, "chat/completions", body);
      expect([url, response.status]).toEqual([url, Number(status)]);
    }
  }
});
