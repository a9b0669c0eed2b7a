import { expect, test } from "vitest";
import { eventually } from "@/tests/support/eventually";
import { perFile, servedModel } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerWith, usage } from "@/tests/support/upstream";
import { callerFor } from "../support/console";
import { startUpstream } from "../support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerWith("hello", usage(1_000, 500))));
const model = servedModel({ gateway, upstream });
const chat = (secret: string) =>
  gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }], max_tokens: 10 });

async function newOwner() {
  const { accountId, keyId } = await gateway.customer();
  return { accountId, firstKeyId: keyId, owner: await callerFor(gateway, { role: "owner", accountId }) };
}

test("a key's recent spend is drawn by hours or days, and a key that spent its cap is marked", async () => {
  const { owner } = await newOwner();
  const { id, secret } = await owner.keys.create({ name: "capped", monthlyCap: "0.004", models: [model] });
  await owner.keys.create({ name: "idle", monthlyCap: "1" });
  const paid = async () => expect(await (await chat(secret)).json()).toMatchObject({ choices: [{}] });
  await paid();
  const rowsOf = async (span: "hours" | "days") => (await owner.keys.list({ span, search: "ed" })).rows;
  await eventually(async () => (await rowsOf("hours"))[0]?.spark?.amount).toBe("0.002");
  expect((await rowsOf("hours"))[0]).toMatchObject({ ruleCount: 0, modelCount: 1, isOverCap: false });
  await paid();
  await eventually(async () => (await rowsOf("days"))[0]).toMatchObject({ isOverCap: true, spent: "0.004" });
  for (const [span, points] of [
    ["hours", 24],
    ["days", 30],
  ] as const) {
    const [row] = await rowsOf(span);
    expect(row?.spark?.amount).toBe("0.004");
    expect(row?.spark?.shares).toHaveLength(points);
    // All of it is in the current hour or day, or the one before it.
    expect(row?.spark?.shares.slice(0, -2)).toEqual(Array(points - 2).fill(0));
  }
  expect(await owner.keys.get({ keyId: id })).toMatchObject({ isOverCap: true });
  expect((await chat(secret)).status).toBe(402);
  const { secret: little } = await owner.keys.create({ name: "little left", monthlyCap: "0.00200001" });
  expect([(await chat(little)).status, (await chat(little)).status]).toEqual([200, 402]);
  const last = async () => (await owner.keys.list({ search: "little" })).rows[0];
  await eventually(last).toMatchObject({ isOverCap: false, isRefused: true, spent: "0.002" });
  const { rows } = await owner.keys.list({ span: "hours", search: "idle" });
  expect(rows).toMatchObject([{ name: "idle", spark: null, isOverCap: false, isRefused: false }]);
  expect((await owner.keys.list({})).rows.map(({ spark }) => spark)).toEqual([null, null, null, null]);
});

test("the form for keys offers the models on sale and the reader's own address", async () => {
  const { owner } = await newOwner();
  const hidden = await gateway.model({ isEnabled: false });
  const { address, models } = await owner.keys.choices();
  expect(address).toBe("203.0.113.7");
  expect(models).toContainEqual({ id: model, kind: "chat" });
  expect(models.map(({ id }) => id)).not.toContain(hidden);
});
