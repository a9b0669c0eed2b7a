import { setTimeout as wait } from "node:timers/promises";
import type { CredentialsConfig } from "next-auth/providers/credentials";
import { describe, expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { authOptions } from "@/server/console/auth";
import { serveProcedures } from "@/server/console/http";
import { play } from "@/server/console/playground";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { contextFor } from "../support/console";
import { startGateway } from "../support/gateway";
import {
  answerBytes,
  answerEvents,
  answerJson,
  chatDelta,
  hangUp,
  startUpstream,
  type UpstreamHandler,
} from "../support/upstream";
import { videoPrices } from "./errors/video-rows";

const CANARY = "canary7f3a";

const gateway = perFile(() => startGateway({ log: createLog("trace", { write }) }));
const upstream = perFile(() => startUpstream((_asked, response) => void response.end()));
let logged = "";
const write = (line: string) => {
  logged += line;
};

const messages = [{ role: "user", content: CANARY }];
const endpoints = [
  { path: "chat/completions", kind: "chat", body: { messages } },
  { path: "chat/completions", kind: "chat", body: { messages, stream: true } },
  { path: "messages", kind: "chat", body: { messages, max_tokens: 9 } },
  { path: "messages", kind: "chat", body: { messages, max_tokens: 9, stream: true } },
  { path: "messages/count_tokens", kind: "chat", body: { messages } },
  { path: "embeddings", kind: "embedding", body: { input: CANARY } },
  { path: "videos/generations", kind: "video", body: { prompt: CANARY } },
] as const;

/** Posts as a new customer and returns its secret, which no log may contain either. */
async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const { secret } = await gateway.customer();
  const response = await gateway.post(secret, path, body, { headers });
  await response.text().catch(() => "");
  return { status: response.status, secret };
}

function expectClean(secret: string) {
  expect(logged).not.toContain(CANARY);
  expect(logged).not.toContain(secret);
  expect(logged).not.toContain("upstream-secret");
}

const answers: Record<string, UpstreamHandler> = {
  "words and no JSON": answerBytes(200, {}, `${CANARY} is down`),
  "a page": answerBytes(502, { "content-type": "text/html" }, `<html>${CANARY}</html>`),
  "a refusal": answerJson({ error: { message: `no ${CANARY}`, type: CANARY } }, 400),
  "an error of its own": answerJson({ error: { message: CANARY } }, 500),
  "another shape": answerJson({ [CANARY]: CANARY, choices: CANARY, content: CANARY, data: CANARY }),
  "a stream that breaks off": answerEvents(
    chatDelta({ content: CANARY }),
    `event: error\ndata: {"type":"error","error":{"message":"${CANARY}"}}\n\n`,
    `data: ${CANARY}\n\n`,
  ),
  "a cut connection": hangUp,
};

describe("no byte of a body, a prompt or a secret is in any log at any level", () => {
  test.each(endpoints)("$path: bodies that are refused ($body)", async ({ path, body }) => {
    const model = CANARY;
    const bodies = [
      `${CANARY} is no JSON`,
      `{"model":"m","${CANARY}":"${CANARY}" "${CANARY}"}`,
      `{"model":${JSON.stringify(CANARY)},"${CANARY}":1,"${CANARY}":2}`,
      JSON.stringify({ model, ...body }),
      JSON.stringify({ ...body, model: { [CANARY]: CANARY } }),
      JSON.stringify({ model, messages: CANARY, input: { [CANARY]: 1 }, prompt: [CANARY] }),
      `{"model":"${CANARY}","a":"${"a".repeat(200_000)}" ${CANARY}`,
    ];
    for (const text of bodies) {
      const { status, secret } = await post(path, text);
      expect(status).toBeGreaterThanOrEqual(400);
      expectClean(secret);
    }
    const { status, secret } = await post(path, "{}", {
      authorization: `Bearer ${CANARY}`,
      "x-api-key": CANARY,
      "content-type": CANARY,
      "anthropic-beta": CANARY,
      "idempotency-key": CANARY,
      "x-forwarded-for": CANARY,
    });
    expect(status).toBe(401);
    expectClean(secret);
  });

  describe.each(Object.entries(answers))("an upstream that answers with %s", (_name, answer) => {
    test.each(endpoints)("$path ($body)", async ({ path, kind, body }) => {
      upstream.answer(answer);
      const dialects = kind === "video" ? (["openai-video"] as const) : (["openai", "anthropic"] as const);
      for (const dialect of dialects) {
        const model = await gateway.model({ kind, ...(kind === "video" && { videoPrices }) });
        await gateway.channel({ model, dialect, baseUrl: upstream.baseUrl });
        const before = logged.length;
        const { secret } = await post(path, JSON.stringify({ model, ...body }));
        expect(logged.slice(before)).toContain(`"model":"${model}"`);
        if (kind === "video") {
          // The task is submitted, or retried, after the answer.
          await eventually(() => upstream.requests.at(-1)?.body).toMatchObject({ model });
          await wait(200);
        }
        expectClean(secret);
      }
    });
  });

  describe("in the console", () => {
    const bodies = (body: object) => [
      `${CANARY} is no JSON`,
      JSON.stringify(CANARY),
      JSON.stringify({ [CANARY]: CANARY }),
      JSON.stringify(body),
    ];
    const request = (path: string, body: string) =>
      new Request(`http://console.test/api/${path}`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", host: "console.test" },
      });
    /** A caller without a session, and one who may change everything. */
    const seats = { nobody: null, operator: { role: "operator" } } as const;

    test.each([
      { path: "links.setPassword", seat: "nobody", body: { token: CANARY, password: `${CANARY}-${CANARY}` } },
      {
        path: "accounts.create",
        seat: "operator",
        body: { name: CANARY, quota: "1", email: `${CANARY}@example.com` },
      },
      { path: "users.add", seat: "operator", body: { accountId: null, email: `${CANARY}@example.com` } },
    ] as const)("$path that is refused, or that fails in the database", async ({ path, seat, body }) => {
      const sql = sqlOf(gateway.runtime.db);
      const context = await contextFor(gateway, seats[seat]);
      const serving = { runtime: gateway.runtime, createContext: async () => context };
      await sql`alter table accounts add constraint refuses check (id = '') not valid`;
      await sql`alter table users add constraint refuses check (id = '') not valid`;
      await sql`alter table user_links rename to no_links`;
      const before = logged.length;
      const statuses: number[] = [];
      try {
        for (const text of bodies(body)) {
          const { status } = await serveProcedures(serving, request(`trpc/${path}`, text));
          statuses.push(status);
        }
      } finally {
        await sql`alter table accounts drop constraint refuses`;
        await sql`alter table users drop constraint refuses`;
        await sql`alter table no_links rename to user_links`;
      }
      expect(statuses).toEqual([400, 400, 400, 500]);
      expect(logged.slice(before)).toContain("console call failed");
      expect(logged).not.toContain(CANARY);
    });

    test("the sign-in form", async () => {
      const [provider] = authOptions(gateway.runtime).providers;
      const submit = (form: object) =>
        (provider as CredentialsConfig).options.authorize(form, { headers: {} });
      const before = logged.length;
      const email = `${CANARY}@example.com`;
      for (const form of [
        { [CANARY]: CANARY },
        { email: { [CANARY]: CANARY }, password: CANARY },
        { email: CANARY.repeat(100), password: CANARY },
        { email, password: CANARY, code: CANARY },
      ]) {
        expect(await submit(form)).toBeNull();
      }
      expect(logged.slice(before)).toContain("sign-in refused");
      expect(logged).not.toContain(CANARY);
    });

    test.each(endpoints.filter(({ path }) => path !== "messages/count_tokens"))(
      "the playground's $path ($body)",
      async ({ path, body }) => {
        const { accountId } = await gateway.customer();
        const { viewer } = await contextFor(gateway, { role: "owner", accountId });
        const before = logged.length;
        for (const text of bodies({ model: CANARY, ...body })) {
          const by = { runtime: gateway.runtime, viewer };
          const answer = await play(by, request(`playground/${path}`, text));
          expect(answer.status).toBeGreaterThanOrEqual(400);
        }
        expect(logged.slice(before)).toContain('"endpoint"');
        expect(logged).not.toContain(CANARY);
      },
    );
  });

  test("a database that refuses its data", async () => {
    const sql = sqlOf(gateway.runtime.db);
    const model = await gateway.model();
    await gateway.channel({ model, baseUrl: upstream.baseUrl });
    await sql`alter table holds add constraint refuses check (request_id = '') not valid`;
    await sql`alter table calls add constraint refuses check (request_id = '') not valid`;
    const before = logged.length;
    const { status, secret } = await post("chat/completions", JSON.stringify({ model, messages }));
    expect(status).toBeGreaterThanOrEqual(500);
    await eventually(() => logged.slice(before)).toMatch(/refuses|23514/);
    expectClean(secret);
  });
});
