import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { findCharges } from "@/server/billing";
import { type CallRecord, getCall, listCalls } from "@/server/calls";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { callOf } from "@/tests/support/call-log";
import { eventually } from "@/tests/support/eventually";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { fakeUpstreams, messages, perFile } from "@/tests/support/per-file";
import { sleep } from "@/tests/support/until";
import { answerWith, heldAnswer, refuseWith, type UpstreamHandler, usage } from "@/tests/support/upstream";
import { branded } from "../support/branded";

const address = "203.0.113.7";

// Test clients call from the loopback, which is a trusted proxy here.
const gateway = perFile(() => startGateway({ env: { TRUSTED_PROXIES: "127.0.0.0/8, ::1" } }));
const start = fakeUpstreams();

/** A new model with an upstream that gives this answer. */
async function modelThat(answer: UpstreamHandler): Promise<string> {
  const model = await gateway.model();
  const upstream = await start(answer);
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  return model;
}

const headersOf = (secret: string) => ({
  "content-type": "application/json",
  "x-api-key": secret,
  "x-forwarded-for": address,
});

const ask = (secret: string, body: object) =>
  gateway.chat(secret, { messages, ...body }, { headers: headersOf(secret) });

const idOf = (response: Response) => response.headers.get("x-request-id") ?? "";

/** The account's calls in the log, newest first. */
async function recordedCalls(accountId: AccountId): Promise<CallRecord[]> {
  await gateway.runtime.calls.flush();
  return (await listCalls(gateway.runtime.db, { accountId })).rows;
}

describe("a call is recorded once", () => {
  test("with its outcome, under the request id of its charge", async () => {
    const model = await modelThat(answerWith("fine", usage(10, 5)));
    const { accountId, keyId, secret } = await gateway.customer();
    const response = await ask(secret, { model });
    await response.text();
    const [call, ...others] = await recordedCalls(accountId);
    expect(others).toEqual([]);
    expect(call).toEqual({
      ...callOf(accountId),
      ...{ requestId: idOf(response), keyId, modelId: model, address },
      ...{ channelId: expect.stringMatching(/^chn_/), elapsedMs: expect.any(Number) },
      startedAt: expect.any(Date),
    });
    const { db } = gateway.runtime;
    const charges = await findCharges(db, [{ id: idOf(response), accountId }]);
    expect(charges.get(idOf(response))).toMatchObject({ kind: "capture", amount: 20000n, modelId: model });
    expect(await findCharges(db, [{ id: idOf(response), accountId: branded("acc_other") }])).toEqual(
      new Map(),
    );
  });

  test("when its stream has ended, with the time of its first event", async () => {
    const { answer, goOn } = heldAnswer();
    const model = await modelThat(answer);
    const { accountId, secret } = await gateway.customer();
    const response = await ask(secret, { model, stream: true });
    expect(await recordedCalls(accountId)).toEqual([]);
    goOn();
    await response.text();
    const [call] = await recordedCalls(accountId);
    expect(call).toMatchObject({ requestId: idOf(response), status: 200, error: null, isStream: true });
    expect(call?.channelId).toMatch(/^chn_/);
    expect(call?.firstTokenMs).toBeLessThanOrEqual(call?.elapsedMs ?? -1);
  });
});

test.each([
  ["ends its connection", (socket: Socket) => void socket.end()],
  ["is cut off", (socket: Socket) => void socket.resetAndDestroy()],
])(
  "a client that %s in the middle of its body is recorded as gone, and not as a failure of the gateway",
  async (_, leave) => {
    const { accountId, secret } = await gateway.customer();
    const { hostname, port, host } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    const head = ["POST /v1/chat/completions HTTP/1.1", `host: ${host}`, "content-length: 1000"];
    const headers = Object.entries(headersOf(secret)).map(([name, value]) => `${name}: ${value}`);
    socket.write(`${[...head, ...headers].join("\r\n")}\r\n\r\n{"model":`);
    await sleep(300);
    leave(socket);
    await eventually(() => recordedCalls(accountId)).toMatchObject([{ status: 499, error: "client_gone" }]);
  },
);

describe("a refused call is recorded with its slug, its message and its address", () => {
  type Customer = Awaited<ReturnType<TestGateway["customer"]>>;
  type RefusedCall = {
    slug: string;
    status: number;
    customer?: Parameters<TestGateway["customer"]>[0];
    prepare?: (customer: Customer, model: string) => Promise<unknown>;
    body?: { model: string };
    answer?: UpstreamHandler;
  };
  const refusals: RefusedCall[] = [
    { slug: "ip_not_allowed", status: 403, customer: { allowedIps: ["192.0.2.1"] } },
    {
      slug: "rate_limited",
      status: 429,
      customer: { requestsPerMinute: 1 },
      prepare: async ({ secret }, model) => (await ask(secret, { model })).text(),
    },
    { slug: "model_not_found", status: 404, body: { model: "no\u0000 such\ud800 model" } },
    { slug: "upstreams_unavailable", status: 502, answer: refuseWith(503) },
  ];
  /** As PostgreSQL can store the text. */
  const plain = (text: string) => text.replace("\u0000", "").replace("\ud800", "\ufffd");
  test.each(refusals)("$status $slug", async ({ slug, status, customer, prepare, body, answer }) => {
    const model = await modelThat(answer ?? answerWith("fine"));
    const caller = await gateway.customer(customer);
    await prepare?.(caller, model);
    const response = await ask(caller.secret, { model, ...body });
    expect(response.status).toBe(status);
    const message = ((await response.json()) as { message: string }).message;
    const [call] = await recordedCalls(caller.accountId);
    expect(call).toMatchObject({
      requestId: idOf(response),
      keyId: caller.keyId,
      modelId: status === 403 || status === 429 ? null : plain(body?.model ?? model),
      status,
      error: slug,
      errorMessage: plain(message),
      address,
      firstTokenMs: null,
    });
  });

  test("with only the error terms of an upstream's text, because that may quote the prompt", async () => {
    const words = "Your prompt 'my name is Ada' exceeds the maximum context length";
    const model = await modelThat(refuseWith(400, words));
    const { accountId, secret } = await gateway.customer();
    expect(await (await ask(secret, { model })).text()).toContain("Ada");
    expect(await recordedCalls(accountId)).toMatchObject([
      { error: "upstream_rejected", errorMessage: "…prompt…exceeds…maximum context length" },
    ]);
  });
});

test("a call without a known key, and a call that needs none, is not recorded", async () => {
  const { secret } = await gateway.customer();
  const model = await modelThat(answerWith("fine"));
  const responses = [
    await ask(`sk-${"x".repeat(43)}`, { model }),
    await gateway.chat("", { model }, { headers: {} }),
    await fetch(`${gateway.url}/v1/models`, { headers: headersOf(secret) }),
    await fetch(`${gateway.url}/v1/nowhere`),
  ];
  expect(responses.map((response) => response.status)).toEqual([401, 401, 200, 404]);
  await gateway.runtime.calls.flush();
  for (const response of responses) {
    await expect(getCall(gateway.runtime.db, { requestId: idOf(response) })).rejects.toThrow(Refusal);
  }
});

describe("a key's last use", () => {
  const lastUse = async (keyId: KeyId) => {
    const [row] = await sqlOf(gateway.runtime.db)<{ at: Date | null; from: string | null }[]>`
      select last_used_at as at, last_address as "from" from api_keys where id = ${keyId}`;
    return row;
  };

  test("appears on its own with its address, and a call that was not admitted leaves none", async () => {
    const model = await modelThat(answerWith("fine"));
    const used = await gateway.customer();
    const refused = await gateway.customer({ allowedIps: ["192.0.2.1"] });
    const before = Date.now();
    await ask(refused.secret, { model });
    await ask(used.secret, { model });
    await eventually(() => lastUse(used.keyId), 5_000).toMatchObject({ from: address });
    expect((await lastUse(used.keyId))?.at?.getTime()).toBeGreaterThanOrEqual(before);
    expect(await lastUse(refused.keyId)).toEqual({ at: null, from: null });
  });

  test("is never moved back by a replica that writes later", async () => {
    const model = await modelThat(answerWith("fine"));
    const { keyId, secret } = await gateway.customer();
    const later = new Date(Date.now() + 60_000);
    await sqlOf(gateway.runtime.db)`
      update api_keys set last_used_at = ${later}, last_address = '192.0.2.9' where id = ${keyId}`;
    await ask(secret, { model });
    await gateway.runtime.access.flushUses();
    expect(await lastUse(keyId)).toEqual({ at: later, from: "192.0.2.9" });
  });
});
