import { afterAll, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { adminClient, newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { eventually } from "@/tests/support/eventually";
import { served } from "@/tests/support/per-file";
import { answerWith, usage } from "@/tests/support/upstream";

// A call of 1,000 tokens costs 0.002.
const { gateway, model } = served(answerWith("hi", usage(0, 1_000)), { inputPrice: nanos(0n) });
afterAll(async () => {
  expect(await gateway.verify()).toEqual([]);
});

const { json } = commandsOn(() => gateway.databaseUrl);

const chat = (secret: unknown) =>
  gateway.chat(String(secret), { model, max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] });

/** The steps of docs/admin-api.md. */
test("an application provisions a key for its user, caps it, reads its spend and revokes it", async () => {
  const { accountId } = await gateway.customer({ quota: "100" });
  const wish = ["--name", "my-application", "--account", accountId];
  const made = await json("management-key", "create", ...wish);
  expect(made).toEqual({ id: expect.stringMatching(/^mgk_/), secret: expect.stringMatching(/^mk-/) });
  const admin = adminClient(gateway, String(made.secret));

  const input = { name: "user-4711", monthly_cap: "0.004", models: [model] };
  const once = { "idempotency-key": "user-4711" };
  const created = await admin("POST /keys", input, once);
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ account_id: accountId, ...input, status: "active" });
  const repeated = await admin("POST /keys", input, once);
  expect([repeated.status, repeated.body]).toEqual([201, created.body]);
  expect(repeated.headers.get("idempotent-replayed")).toBe("true");

  const { id, secret } = created.body;
  expect((await chat(secret)).status).toBe(200);
  expect((await chat(secret)).status).toBe(200);
  expect((await chat(secret)).status).toBe(402);

  const raised = await admin(`PATCH /keys/${id}`, { monthly_cap: "1" });
  expect(raised.body).toMatchObject({ id, monthly_cap: "1", spent: "0.004", calls: 2 });
  expect(raised.body).not.toHaveProperty("secret");
  expect((await chat(secret)).status).toBe(200);

  expect((await admin(`GET /keys/${id}/spend`)).body).toMatchObject({
    data: [{ model_id: model, calls: 3, amount: "0.006", output_tokens: 3_000 }],
    next_cursor: null,
  });
  const { calls } = gateway.runtime;
  await calls.flush();
  const { body: log } = await admin(`GET /calls?key_id=${id}&status=ok`);
  expect(log.data).toHaveLength(3);
  const charged = { model_id: model, cost: "0.002", money: "charged" };
  expect(log.data).toContainEqual(expect.objectContaining(charged));

  expect((await admin(`DELETE /keys/${id}`)).status).toBe(200);
  // Within a second, in every process.
  await eventually(async () => (await chat(secret)).status).toBe(401);
  expect((await admin(`GET /keys/${id}`)).status).toBe(404);
  expect((await admin("GET /keys")).body).toMatchObject({ data: [expect.not.objectContaining({ id })] });

  const changes = await json<{ actor: string; action: string }[]>("audit", "list", "--account", accountId);
  const own = changes.filter(({ actor }) => actor === `my-application (${made.id})`);
  expect(own.map(({ action }) => action)).toEqual(["key.delete", "key.update", "key.create"]);
});

test("a program duplicates a key, and switches both together", async () => {
  const { accountId, keyId } = await gateway.customer({ requestsPerMinute: 500 });
  const admin = await newManager(gateway, { accountId });
  const made = await admin(`POST /keys/${keyId}/duplicates`, { name: "second" });
  expect([made.status, made.body]).toMatchObject([201, { name: "second", requests_per_minute: 500 }]);
  const ids = [keyId, made.body.id];
  expect((await admin("PATCH /keys", { key_ids: ids, status: "disabled" })).body).toEqual({ done: true });
  const { body } = await admin("GET /keys?status=disabled");
  expect((body.data as { id: string }[]).map(({ id }) => id).sort()).toEqual(ids.sort());
  const typed = await json<{ id: string; status: string }[]>(
    ...["key", "enable", "--key", keyId, "--key", String(made.body.id), "--account", accountId],
  );
  expect(typed.map(({ status }) => status)).toEqual(["active", "active"]);
});
