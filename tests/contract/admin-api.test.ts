import { describe, expect, test } from "vitest";
import { listAccounts } from "@/server/access";
import { listChanges } from "@/server/audit";
import { sqlOf } from "@/server/db/handles";
import { adminRoute } from "@/server/process/endpoints";
import { shareRuntime } from "@/server/runtime/shared-runtime";
import { adminClient, newManager } from "@/tests/support/admin-api";
import { perFile } from "@/tests/support/per-file";
import { withoutFront } from "@/tests/support/plain-next";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);

const accountsNamed = async (name: string) =>
  (await listAccounts(gateway.runtime.db)).filter((account) => account.name === name);

/** The latest entries about created accounts. */
const newest = async () =>
  (await listChanges(gateway.runtime.db, { action: "account.create" }, { limit: 1 })).rows;

const withIdempotencyKey = (key: string) => ({ "idempotency-key": key });

describe("a repeat with the same Idempotency-Key", () => {
  test("makes nothing twice, however many arrive at once, and each gets the same answer", async () => {
    const manager = await newManager(gateway);
    const body = { name: "at-once", quota: "1" };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => manager("POST /accounts", body, withIdempotencyKey("at-once"))),
    );
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(11);
    expect(await accountsNamed("at-once")).toHaveLength(1);
    const [change] = await newest();
    expect(change?.targetName).toBe("at-once");
  });

  test.each(["top-ups", "adjustments"])("books %s once", async (what) => {
    const manager = await newManager(gateway);
    const { accountId } = await gateway.customer({ quota: "3" });
    const book = () =>
      manager(
        `POST /accounts/${accountId}/${what}`,
        { amount: "1", reason: "paid" },
        withIdempotencyKey(what),
      );
    const [first, repeated] = [await book(), await book()];
    expect([first.body, repeated.body]).toEqual([{ available: "4" }, { available: "4" }]);
    expect((await gateway.balance(accountId)).topups).toBe(1_000_000_000n);
  });

  test("is a 409 with another body or another path, and does not concern another management key", async () => {
    const [manager, other] = [await newManager(gateway), await newManager(gateway)];
    expect(
      (await manager("POST /accounts", { name: "first", quota: "1" }, withIdempotencyKey("k"))).status,
    ).toBe(201);
    const answer = await manager("POST /accounts", { name: "second", quota: "1" }, withIdempotencyKey("k"));
    expect([answer.status, answer.headers.get("x-error-code")]).toEqual([409, "idempotency_mismatch"]);
    expect(
      (await other("POST /accounts", { name: "second", quota: "1" }, withIdempotencyKey("k"))).status,
    ).toBe(201);
  });

  test("runs again if the first one was refused", async () => {
    const manager = await newManager(gateway);
    expect((await manager("POST /accounts", { name: "late" }, withIdempotencyKey("again"))).status).toBe(400);
    expect(
      (await manager("POST /accounts", { name: "late", quota: "1" }, withIdempotencyKey("again"))).status,
    ).toBe(201);
  });

  test("gets a key's secret again, which is stored encrypted", async () => {
    const { accountId } = await gateway.customer();
    const manager = await newManager(gateway, { accountId });
    const first = await manager("POST /keys", { name: "k" }, withIdempotencyKey("secret"));
    const repeated = await manager("POST /keys", { name: "k" }, withIdempotencyKey("secret"));
    expect(repeated.body.secret).toBe(first.body.secret);
    const rows = await sqlOf(gateway.runtime.db)`select answer from idempotent_answers`;
    expect(JSON.stringify(rows)).not.toContain(String(first.body.secret));
  });
});

describe("a change of several things", () => {
  test("is applied as a whole or not at all", async () => {
    const manager = await newManager(gateway);
    const account = await manager("POST /accounts", { name: "whole", quota: "1" });
    await manager("POST /accounts", { name: "taken", quota: "1" });
    const before = await listChanges(gateway.runtime.db, {}, { limit: 1 });
    const path = `PATCH /accounts/${account.body.id}`;
    const wrong = [{ quota: "-5" }, { reason: "a reason without a quota" }];
    const others = wrong.map((more) => ({ name: "other", ...more }));
    for (const body of [{ name: "taken", quota: "5" }, ...others, {}, { status: null }]) {
      expect([400, 409]).toContain((await manager(path, body)).status);
    }
    expect((await manager(`GET /accounts/${account.body.id}`)).body).toMatchObject({
      name: "whole",
      quota: "1",
    });
    expect(await listChanges(gateway.runtime.db, {}, { limit: 1 })).toEqual(before);
  });
});

test("one of two accounts that take a name at once is refused", async () => {
  const manager = await newManager(gateway);
  const names = ["rename-a", "rename-b"];
  const made = await Promise.all(names.map((name) => manager("POST /accounts", { name, quota: "1" })));
  for (let round = 0; round < 5; round++) {
    const name = `wanted-${round}`;
    const rename = (id: unknown) => manager(`PATCH /accounts/${id}`, { name });
    const answers = await Promise.all(made.map(({ body }) => rename(body.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});

test("an account that is named like another's identifier is not taken for it", async () => {
  const manager = await newManager(gateway);
  const { accountId } = await gateway.customer({ quota: "3" });
  const { body } = await manager("POST /accounts", { name: "impostor", quota: "7" });
  // Accounts could have such names before.
  await sqlOf(gateway.runtime.db)`update accounts set name = ${accountId} where id = ${String(body.id)}`;
  await manager(`PATCH /accounts/${accountId}`, { requests_per_minute: 5 });
  const owner = await newManager(gateway, { accountId });
  expect((await owner(`GET /accounts/${accountId}`)).body).toMatchObject({ id: accountId, quota: "3" });
  const topped = await manager(`POST /accounts/${accountId}/top-ups`, { amount: "1", reason: "r" });
  expect(topped.body).toEqual({ available: "4" });
});

test("the first valid one of two management keys counts", async () => {
  const [first, second] = [await newManager(gateway), await newManager(gateway)];
  const both = { authorization: `Bearer ${first.secret}`, "x-api-key": second.secret };
  const { status } = await adminClient(gateway, "")("POST /accounts", { name: "by-one", quota: "1" }, both);
  expect(status).toBe(201);
  const [change] = await newest();
  expect(change?.actor).toContain(first.id);
});

describe("a refusal", () => {
  test.each([
    ["GET /nothing", undefined, 404, "unknown_path"],
    ["GET /keys/key_none", undefined, 404, "key_unknown"],
    ["GET /accounts/%E0%A4%A", undefined, 404, "unknown_path"],
    ["PUT /keys", {}, 405, "method_not_allowed"],
    ["DELETE /accounts", undefined, 405, "method_not_allowed"],
    ["POST /accounts", "{", 400, "invalid_json"],
    ["POST /accounts", "[]", 400, "invalid_json"],
    ["POST /accounts", { name: "n\u0000l", quota: "1" }, 400, "invalid_parameters"],
    ["POST /accounts", { name: "x", quota: 1 }, 400, "invalid_parameters"],
    ["POST /accounts", { name: "x".repeat(2_000_000), quota: "1" }, 400, "body_too_large"],
    ["GET /accounts?cursor=nonsense", undefined, 200, null],
    ["POST /keys", { account_id: "acc_none", name: "x" }, 404, "account_unknown"],
    ["GET /ledger-entries?account_id=acc_none", undefined, 404, "account_unknown"],
    ["GET /accounts/acc_none/months/2026-01/spend", undefined, 404, "account_unknown"],
    ["GET /accounts?status=active&status=disabled", undefined, 400, "invalid_parameters"],
    ["POST /accounts?name=x&quota=1", undefined, 400, "invalid_parameters"],
    ["POST /accounts", `{"name":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, 400, "invalid_parameters"],
    ["POST /accounts", `{"a":${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}}`, 400, "invalid_parameters"],
    ["POST /keys", { name: "x", allowed_ips: Array(200_000).fill({}) }, 400, "invalid_parameters"],
    ["POST /accounts", { name: `acc_${"0".repeat(32)}`, quota: "1" }, 400, "invalid_parameters"],
    ["GET /audit-entries?cursor=nonsense", undefined, 400, "page_unknown"],
    ["GET /calls?from=yesterday", undefined, 400, "invalid_parameters"],
  ])("of %s has the gateway's envelope", async (...[request, body, status, slug]) => {
    const manager = await newManager(gateway);
    const answer = await manager(request, body);
    expect([answer.status, answer.headers.get("x-error-code")]).toEqual([status, slug]);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    if (slug !== null) {
      expect(answer.body).toEqual({ code: status, message: expect.any(String), data: null });
    }
  });

  test("is in the reader's language", async () => {
    const manager = await newManager(gateway);
    const ask = (language: string) =>
      manager("PATCH /keys/key_none", { requestsPerMinute: 1 }, { "accept-language": language });
    expect((await ask("en")).body.message).toBe("unknown parameter requestsPerMinute");
    expect((await ask("zh")).body.message).toBe("未知参数 requestsPerMinute");
  });
});

test("the OpenAPI document needs no key, and all its members are in snake case", async () => {
  const { status, body } = await adminClient(gateway, "")("GET /openapi.json");
  expect([status, body.openapi]).toEqual([200, "3.1.0"]);
  const names = [...JSON.stringify(body).matchAll(/"properties":(\{.*?\})/g)].flatMap(([, text = ""]) =>
    [...text.matchAll(/"(\w+)":\{/g)].map(([, name]) => name),
  );
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name ?? ""))).toEqual([]);
});

test("a model's name may have a slash", async () => {
  const manager = await newManager(gateway);
  const id = "vendor/some-model:free";
  expect((await manager("POST /models", { id, kind: "chat", input_price: "1" })).status).toBe(201);
  const path = `/models/${encodeURIComponent(id)}`;
  const price = { cache_write_1h_price: "2.5" };
  expect((await manager(`PATCH ${path}`, price)).body).toMatchObject({ id, input_price: "1", ...price });
  expect((await manager(`GET ${path}/routes`)).body).toMatchObject({ tiers: [] });
});

test("plain `next start` serves the admin API, too", async () => {
  shareRuntime(gateway.runtime);
  const { secret } = await newManager(gateway);
  withoutFront();
  const ask = (headers: Record<string, string>) =>
    adminRoute.GET(new Request("http://localhost/admin/v1/accounts", { headers }));
  expect((await ask({})).status).toBe(401);
  expect((await ask({ authorization: `Bearer ${secret}` })).status).toBe(200);
});
