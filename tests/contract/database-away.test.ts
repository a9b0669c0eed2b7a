import { afterAll, expect, test } from "vitest";
import { callerFor } from "@/tests/support/console";
import { freshDatabase } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { messages, perFile } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const link = perFile(async () => await linkTo(await freshDatabase()));
const gateway = perFile(() => startGateway({ databaseUrl: link.url }));
const upstream = perFile(() => startUpstream(answerWith("ok")));
afterAll(async () => {
  link.mend();
});

/** A look-up gives up after five seconds; the rest is a margin for a busy machine. */
const SOON_MS = 20_000;
const TASK = "/v1/videos/generations/task_00000000000000000000000000000000";

const post = (path: string, body: unknown) => ({
  path,
  init: { method: "POST", body: JSON.stringify(body) },
});

// The database that refuses comes first: after it the pools connect again. After the silent one connections hang.
test.each(["cut", "silence"] as const)(
  "a database that does not answer (%s) is a 503 with retry-after on every path, within seconds",
  async (how) => {
    link.mend();
    const model = await gateway.model();
    const video = await gateway.model({ kind: "video" });
    await gateway.channel({ model, baseUrl: upstream.baseUrl });
    const { secret } = await gateway.customer({ requestsPerMinute: 100 });
    const operator = await callerFor(gateway, { role: "operator" });
    const paths = [
      { path: "/v1/models", init: {} },
      post("/v1/chat/completions", { model, messages }),
      post("/v1/messages", { model, messages, max_tokens: 9 }),
      post("/v1/messages/count_tokens", { model, messages }),
      post("/v1/embeddings", { model, input: "x" }),
      post("/v1/videos/generations", { model: video, prompt: "x" }),
      { path: TASK, init: {} },
      { path: `${TASK}/content`, init: {} },
    ];
    const json = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
    const headers = { authorization: `Bearer ${secret}`, ...json };
    const call = async ({ path, init }: { path: string; init: RequestInit }) => {
      const started = performance.now();
      const response = await fetch(`${gateway.url}${path}`, { ...init, headers });
      const { code = 200 } = (await response.json()) as { code?: number };
      expect(code).toBe(response.status);
      const isSoon = performance.now() - started < SOON_MS;
      return { path, status: response.status, retryAfter: response.headers.get("retry-after"), isSoon };
    };
    const expected = paths.map(({ path }) => ({ path, status: 503, retryAfter: "1", isSoon: true }));
    const chat = post("/v1/chat/completions", { model, messages });
    // The key is known now, so the later look-ups happen, too.
    expect((await call(chat)).status).toBe(200);
    link[how]();
    // Only the look-up of the key's limit fails; nothing fails before it.
    expect(await call(chat)).toMatchObject({ status: 503, retryAfter: "1", isSoon: true });
    gateway.runtime.catalog.forget();
    gateway.runtime.channels.forget();
    expect(await Promise.all(paths.map(call))).toEqual(expected);
    gateway.runtime.access.forget();
    gateway.runtime.catalog.forget();
    expect(await Promise.all(paths.map(call))).toEqual(expected);
    await expect(operator.channels.list()).rejects.toThrow();
    link.mend();
    await eventually(async () => (await call(chat)).status, 90_000).toBe(200);
  },
);
