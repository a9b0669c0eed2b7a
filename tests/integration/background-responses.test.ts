import { expect, test } from "vitest";
import { backgroundRoom } from "@/tests/support/background-room";
import { eventually } from "@/tests/support/eventually";
import { answerWith, heldAnswer } from "@/tests/support/upstream";

const { gateway, upstream, sql, newCustomer } = backgroundRoom(2);

async function orphaned(hasBegun: boolean) {
  const customer = await newCustomer();
  const { answer, goOn } = heldAnswer();
  upstream.answer(answer);
  const id = await customer.begin();
  await customer.untilBegun();
  upstream.answer(answerWith("Hello there"));
  await sql()`
    update background_responses set run_id = 'dead', lease_until = now() - interval '1 second',
      has_begun = ${hasBegun} where account_id = ${customer.accountId}`;
  return { ...customer, id, goOn };
}

test("a response that a dead process had begun fails with a message and costs nothing", async () => {
  const { id, until, money, goOn, accountId } = await orphaned(true);
  const failed = await until(id, "failed");
  expect(failed.error?.message).toBeTruthy();
  // The process that seemed dead continues, and is too late.
  goOn();
  expect(await money()).toEqual([0n, 0n]);
  const entries = await gateway.entries(accountId);
  expect(entries.map(({ kind }) => kind)).toEqual(["release"]);
  expect(await gateway.verify()).toEqual([]);
});

test("a response of a dead process that no upstream had begun is made by another process and charged once", async () => {
  const { id, until, money, goOn, accountId } = await orphaned(false);
  await until(id, "completed");
  goOn();
  await eventually(money).toEqual([20_000n, 0n]);
  const entries = await gateway.entries(accountId);
  expect(entries.map(({ kind }) => kind)).toEqual(["capture"]);
  expect(await gateway.verify()).toEqual([]);
});

test("no more responses run at a time than the limit, and the others get their turn", async () => {
  const customer = await newCustomer();
  upstream.answer(answerWith("Hello there"));
  const ids = await Promise.all(Array.from({ length: 7 }, customer.begin));
  for (const id of ids) {
    await customer.until(id, "completed");
  }
  expect(await customer.money()).toEqual([140_000n, 0n]);
});

test("a concurrent cancel and end have one winner, and the charge agrees with it", async () => {
  const customer = await newCustomer();
  const ids = await Promise.all(Array.from({ length: 8 }, customer.begin));
  for (const id of ids) {
    await customer.call(`/${id}/cancel`, { method: "POST", body: "{}" });
  }
  const ends = await Promise.all(ids.map((id) => customer.until(id, "completed", "cancelled")));
  await eventually(async () => (await customer.money())[1], 30_000).toBe(0n);
  const answers = await Promise.all(ends.map(async ({ id }) => (await customer.call(`/${id}`)).body));
  const tokens = answers.map(({ usage }) => (usage ? usage.input_tokens + 2 * usage.output_tokens : 0));
  const used = BigInt(1_000 * tokens.reduce((sum, each) => sum + each, 0));
  expect(await customer.money()).toEqual([used, 0n]);
  expect(await gateway.verify()).toEqual([]);
});

test("a response whose stored payload is unreadable ends and returns its frozen money", async () => {
  const customer = await newCustomer();
  const id = await customer.begin();
  await sql()`
    update background_responses set run_id = 'dead', lease_until = now() - interval '1 second', has_begun = true,
      payload = 'xx' where account_id = ${customer.accountId}`;
  await customer.until(id, "failed", "completed");
  await eventually(async () => (await customer.money())[1], 30_000).toBe(0n);
});
