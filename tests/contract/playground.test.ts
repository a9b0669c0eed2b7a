import { describe, expect, onTestFinished, test } from "vitest";
import type { SessionUser } from "@/server/access";
import { listCalls } from "@/server/calls";
import { play } from "@/server/console/playground";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { collectUnheld } from "@/tests/support/collect-garbage";
import { callerFor, contextFor, type Seat } from "@/tests/support/console";
import { served } from "@/tests/support/per-file";
import { answerWith, openStreams, usage } from "@/tests/support/upstream";
import { oneVideoPrice } from "@/tests/support/video-client";

const saysHello = answerWith("hello there", usage(1_000, 500));
const { gateway, upstream, model } = served(saysHello);

const OWN_PAGE = {
  ...{ "content-type": "application/json", "sec-fetch-site": "same-origin", host: "console.test" },
};

/** A request as a browser sends it, by default from a page of the console. */
const request = (
  path: string,
  body?: object | null,
  { headers = OWN_PAGE, ...init }: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {},
) =>
  new Request(`http://console.test/api/playground/${path}`, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { "x-forwarded-for": "203.0.113.9", cookie: "session=1", ...headers },
    ...init,
  });

const viewerOn = async (seat: Seat | null): Promise<SessionUser | null> =>
  (await contextFor(gateway, seat)).viewer;

/** A new account, and its owner at the playground. */
async function newOwner(options: { quota?: string } = {}) {
  const { accountId } = await gateway.customer(options);
  const viewer = await viewerOn({ role: "owner", accountId });
  const call = (...args: Parameters<typeof request>) =>
    play({ runtime: gateway.runtime, viewer }, request(...args));
  return { accountId, viewer, call };
}

const chat = (more: object = {}) => ({ model, messages: [{ role: "user", content: "hi" }], ...more });

const calls = async (accountId: AccountId) => {
  await gateway.runtime.calls.flush();
  return (await listCalls(gateway.runtime.db, { accountId })).rows;
};

/** The status and slug of an error. */
const refusalOf = async (answer: Promise<Response>) => {
  const response = await answer;
  const { status: code } = response;
  expect(await response.json()).toMatchObject({ code, message: expect.any(String), data: null });
  return [response.status, response.headers.get("x-error-code")];
};

describe("a call from the playground", () => {
  test("is charged to the account, and listed with the console's key and the browser's address", async () => {
    const { accountId, call } = await newOwner();
    const response = await call("chat/completions", chat());
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: "hello there" } }] });
    expect(await gateway.balance(accountId)).toMatchObject({ used: 2_000_000n, frozen: 0n });
    const [key] = await sqlOf(gateway.runtime.db)<{ id: string }[]>`
      select id from api_keys where account_id = ${accountId} and is_console`;
    const requestId = response.headers.get("x-request-id");
    expect(await calls(accountId)).toMatchObject([
      { requestId, keyId: key?.id, endpoint: "chat.completions", status: 200, address: "203.0.113.9" },
    ]);
  });

  test("does not pass on the session's cookie", async () => {
    const { call } = await newOwner();
    await (await call("chat/completions", chat())).json();
    expect(upstream.requests.at(-1)?.headers.cookie).toBeUndefined();
  });

  test("has its cost shown to its own account only", async () => {
    const { accountId, call } = await newOwner();
    const response = await call("chat/completions", chat());
    await response.json();
    const requestId = response.headers.get("x-request-id") ?? "";
    const self = await callerFor(gateway, { role: "owner", accountId });
    expect(await self.playground.charge({ requestId })).toEqual({ isCharged: true, cost: "0.002" });
    const stranger = await callerFor(gateway, { role: "owner", accountId: (await newOwner()).accountId });
    expect(await stranger.playground.charge({ requestId })).toBeNull();
    const operator = await callerFor(gateway, { role: "operator" });
    await expect(operator.playground.charge({ requestId })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("reaches messages, embeddings and videos as a key does", async () => {
    const { call } = await newOwner();
    const message = { model, max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
    const version = { ...OWN_PAGE, "anthropic-version": "2023-06-01" };
    expect((await call("messages", message, { headers: version })).status).toBe(200);

    const embedder = await gateway.model({ kind: "embedding" });
    const models = { [embedder]: "sandbox-embedding" };
    await gateway.channel({ model: embedder, dialect: "sandbox", baseUrl: "sandbox:", models });
    expect((await call("embeddings", { model: embedder, input: ["a", "b"] })).status).toBe(200);

    const film = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.05") });
    const filmed = { [film]: "sandbox-video-turbo" };
    await gateway.channel({ model: film, dialect: "sandbox", baseUrl: "sandbox:", models: filmed });
    const submitted = await call("videos/generations", { model: film, prompt: "a boat" });
    expect(submitted.status).toBe(202);
    const { id } = (await submitted.json()) as { id: string };
    const status = await call(`videos/generations/${id}`);
    expect(await status.json()).toMatchObject({ id, model: film });
    const stranger = await newOwner();
    expect(await refusalOf(stranger.call(`videos/generations/${id}`))).toEqual([403, "task_forbidden"]);
  });

  test("is refused like a key's call: for an empty month, an unknown model or an unknown path", async () => {
    const poor = await newOwner({ quota: "0" });
    expect(await refusalOf(poor.call("chat/completions", chat()))).toEqual([402, "insufficient_quota"]);
    const { call } = await newOwner();
    const unknown = call("chat/completions", chat({ model: "none" }));
    expect(await refusalOf(unknown)).toEqual([404, "model_not_found"]);
    for (const path of ["models", "messages/count_tokens", "toString", "videos/generations/a/content"]) {
      expect(await refusalOf(call(path, chat()))).toEqual([404, "unknown_path"]);
    }
    expect(await refusalOf(call("embeddings"))).toEqual([405, "method_not_allowed"]);
  });

  test("ends at its upstream when the browser hangs up, also after a garbage collection", async () => {
    const { call } = await newOwner();
    const { answer, gone } = openStreams();
    upstream.answer(answer);
    onTestFinished(() => upstream.answer(saysHello));
    const leaving = new AbortController();
    const streamed = chat({ stream: true });
    const response = await call("chat/completions", streamed, { signal: leaving.signal });
    await response.body?.getReader().read();
    await collectUnheld();
    leaving.abort();
    await gone();
  });

  test("is limited to sixty a minute", async () => {
    const { call } = await newOwner();
    const ask = async () => (await call("chat/completions", { model })).status;
    const statuses = await Promise.all(Array.from({ length: 61 }, ask));
    expect(statuses.toSorted()).toEqual([...Array.from({ length: 60 }, () => 400), 429]);
  });
});

describe("the playground refuses, and charges nothing for,", () => {
  const untouched = async (accountId: AccountId, count: number) => {
    expect(upstream.requests).toHaveLength(count);
    expect(await gateway.entries(accountId)).toEqual([]);
    expect(await calls(accountId)).toEqual([]);
  };

  test.each(["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])(
    "a form of another site (%s)",
    async (type) => {
      const { accountId, call } = await newOwner();
      const before = upstream.requests.length;
      const form = { "content-type": type, host: "console.test" };
      const answer = call("chat/completions", chat(), { headers: form });
      expect(await refusalOf(answer)).toEqual([415, "invalid_content_type"]);
      await untouched(accountId, before);
    },
  );

  test.each(["cross-site", "same-site", "none"])("a call that its browser marks as %s", async (site) => {
    const { accountId, call } = await newOwner();
    const before = upstream.requests.length;
    const headers = { ...OWN_PAGE, "sec-fetch-site": site };
    expect(await refusalOf(call("chat/completions", chat(), { headers }))).toEqual([403, "cross_site"]);
    await untouched(accountId, before);
  });

  test("an operator, who has no account", async () => {
    const viewer = await viewerOn({ role: "operator" });
    const answer = play({ runtime: gateway.runtime, viewer }, request("chat/completions", chat()));
    expect(await refusalOf(answer)).toEqual([403, "account_needed"]);
  });

  test("a caller without a session", async () => {
    const answer = play({ runtime: gateway.runtime, viewer: null }, request("chat/completions", chat()));
    expect(await refusalOf(answer)).toEqual([401, "signed_out"]);
  });
});
