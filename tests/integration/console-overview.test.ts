import { describe, expect, test } from "vitest";
import { createAccount, issueKey, setAccountStatus } from "@/server/access";
import { nanos } from "@/server/base/money";
import { setMonthlyQuota } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import { dayOf, daysLater } from "@/server/domain/days";
import type { AccountId } from "@/server/domain/ids";
import { newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { money } from "@/tests/support/customer";
import { forgetDaySums } from "@/tests/support/day-sums";
import { startGateway } from "@/tests/support/gateway";
import { perFile, sandboxModel } from "@/tests/support/per-file";

const gateway = perFile(() => startGateway());
const model = sandboxModel(gateway);

const commands = commandsOn(() => gateway.databaseUrl);
const ownerOf = (accountId: AccountId) => callerFor(gateway, { role: "owner", accountId });
const operator = () => callerFor(gateway, { role: "operator" });

async function talk(secret: string, name = model): Promise<Response> {
  const messages = [{ role: "user", content: "hello" }];
  const answer = await gateway.chat(secret, { model: name, messages });
  await answer.text();
  // The call log is written some moments later.
  await gateway.runtime.calls.flush();
  return answer;
}

describe("an owner's overview", () => {
  test("says how long the money lasts at the recent pace, if that is before the month ends", async () => {
    const { accountId, secret } = await gateway.customer({ quota: "100" });
    await talk(secret);
    const owner = await ownerOf(accountId);
    // 100 for one call a day lasts for years.
    expect(await owner.overview.month()).toMatchObject({ lastsUntil: null });
    const { db, billing } = gateway.runtime;
    const { used } = await owner.overview.month();
    const spent = money(used);
    // Half of a day's cost is left: it lasts half a day, or the console shows nothing if the month ends sooner.
    await setMonthlyQuota(db, { accountId, period: billing.period(), quota: nanos((spent * 3n) / 2n) });
    const inHalfADay = Date.now() + 43_200_000;
    const { lastsUntil, resetsAt } = await owner.overview.month();
    if (resetsAt.getTime() > inHalfADay + 60_000) {
      expect(Math.abs((lastsUntil?.getTime() ?? 0) - inHalfADay)).toBeLessThan(60_000);
    }
    // An account whose money lasts.
    await gateway.customer();
    // The operator sees the account through every door, the soonest first, and sees no disabled account of others.
    await setMonthlyQuota(db, { accountId, period: billing.period(), quota: spent });
    const accounts = await (await operator()).accounts.runningOut({});
    expect(accounts.find((row) => row.accountId === accountId)).toMatchObject({ available: "0" });
    const moments = accounts.map((row) => row.lastsUntil.getTime());
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    const { rows, nextCursor } = await (await operator()).accounts.list({ sort: "lastsUntil" });
    expect(rows.slice(0, accounts.length).map(({ id }) => id)).toEqual(accounts.map((row) => row.accountId));
    expect(rows.slice(accounts.length).map((row) => row.lastsUntil)).toEqual(
      rows.slice(accounts.length).map(() => null),
    );
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(accounts.length);
    expect(nextCursor).toBeNull();
    const listed = await commands.json<{ account_id: string }[]>("account", "running-out");
    expect(listed.map((row) => row.account_id)).toContain(accountId);
    const { body } = await (await newManager(gateway))("GET /running-out");
    expect(body.data).toHaveLength(accounts.length);
    await setAccountStatus(db, { accountId, status: "disabled" });
    const left = await (await operator()).accounts.runningOut({});
    expect(left.some((row) => row.accountId === accountId)).toBe(false);
  });

  test("marks each step to a first call as it is done", async () => {
    const name = `steps ${Date.now()}`;
    const { id: accountId } = await createAccount(gateway.runtime.db, {
      name,
      monthlyQuotaNanos: money("10"),
    });
    const owner = await ownerOf(accountId);
    const none = { hasKey: false, hasCall: false, hasCharge: false, isOver: false, firstCall: null };
    expect(await owner.overview.firstSteps()).toEqual({ ...none, model });
    const pepper = gateway.runtime.secrets.keyPepper;
    const { secret } = await issueKey(gateway.runtime.db, { accountId, name: "first" }, pepper);
    expect(await owner.overview.firstSteps()).toMatchObject({ hasKey: true, hasCall: false });
    await talk(secret, "no-such-model");
    expect(await owner.overview.firstSteps()).toMatchObject({ hasCall: true, hasCharge: false });
    const answer = await talk(secret);
    expect(answer.status).toBe(200);
    const firstCall = answer.headers.get("x-request-id");
    await talk(secret);
    expect(await owner.overview.firstSteps()).toMatchObject({ hasCharge: true, isOver: false, firstCall });
    await sqlOf(gateway.runtime.db)`
      update spend_hours set hour = hour - interval '26 hours' where account_id = ${accountId}`;
    await forgetDaySums(sqlOf(gateway.runtime.db));
    expect(await owner.overview.firstSteps()).toMatchObject({
      hasCharge: true,
      isOver: true,
      firstCall: null,
    });
  });
});

test("the days of both overviews reach 30 days back, into the month before, and no further", async () => {
  const { accountId, secret } = await gateway.customer();
  await talk(secret);
  const owner = await ownerOf(accountId);
  const timeZone = gateway.runtime.config.BILLING_TIMEZONE;
  const today = dayOf(new Date(), timeZone);
  expect((await owner.overview.days()).map(({ day }) => day)).toEqual([today]);
  const month = (await (await operator()).overview.business()).month;
  const moveBack = async (days: number) => {
    await sqlOf(gateway.runtime.db)`
      update spend_hours set hour = hour - ${days} * interval '1 day',
        period = to_char((hour - ${days} * interval '1 day') at time zone ${timeZone}, 'YYYY-MM')
      where account_id = ${accountId}`;
    await forgetDaySums(sqlOf(gateway.runtime.db));
  };
  await moveBack(29);
  const first = daysLater(today, -29);
  expect((await owner.overview.days()).map(({ day }) => day)).toEqual([first]);
  const business = await (await operator()).overview.business();
  expect(business.days.map(({ day }) => day)).toContain(first);
  // The month's own figure has only the month's charges.
  if (!first.startsWith(today.slice(0, 7))) {
    expect(money(business.month)).toBeLessThan(money(month));
  }
  await moveBack(1);
  expect(await owner.overview.days()).toEqual([]);
});

describe("an operator's overview", () => {
  test("counts the active accounts and all accounts", async () => {
    const caller = await operator();
    const before = (await caller.overview.business()).accounts;
    const { accountId } = await gateway.customer();
    await gateway.customer();
    await setAccountStatus(gateway.runtime.db, { accountId, status: "disabled" });
    expect((await caller.overview.business()).accounts).toEqual({
      active: before.active + 1,
      total: before.total + 2,
    });
  });

  test("counts the calls of a day, and the failed ones among them", async () => {
    const caller = await operator();
    const before = await caller.overview.traffic();
    const { secret } = await gateway.customer();
    await talk(secret);
    await talk(secret, "no-such-model");
    expect(await caller.overview.traffic()).toMatchObject({
      calls: before.calls + 2,
      failed: before.failed + 1,
      isPartial: false,
    });
  });

  test("points at failing channels, and at models that no channel serves", async () => {
    const caller = await operator();
    const [orphan, dead] = [await gateway.model(), await gateway.model()];
    const channelId = await gateway.channel({ model: dead, baseUrl: "http://127.0.0.1:9" });
    const { secret } = await gateway.customer();
    const ids = (await caller.overview.attention()).channels.map((channel) => channel.channelId);
    expect(ids).not.toContain(channelId);
    /** The state of the channel in the overview, which is the same as in Channels. */
    const readState = async () => {
      const standing = (await caller.channels.states()).find((channel) => channel.channelId === channelId);
      const entry = (await caller.overview.attention()).channels.find(
        (channel) => channel.channelId === channelId,
      );
      expect(entry).toMatchObject({ state: standing?.state, fault: standing?.fault });
      return entry?.state;
    };
    expect((await talk(secret, dead)).status).toBe(502);
    expect(await readState()).toBe("faulty");
    for (const _ of Array.from({ length: 4 })) {
      expect((await talk(secret, dead)).status).toBe(502);
    }
    expect(await readState()).toBe("open");
    const attention = await caller.overview.attention();
    expect(attention.models).toContainEqual({ id: orphan, oddities: ["unserved"] });
  });

  test("a failing channel names the customers whose requests failed there", async () => {
    const caller = await operator();
    const dead = await gateway.model();
    const channelId = await gateway.channel({ model: dead, baseUrl: "http://127.0.0.1:9" });
    const { accountId, secret } = await gateway.customer();
    expect((await talk(secret, dead)).status).toBe(502);
    await gateway.runtime.calls.flush();
    const { name } = await caller.accounts.get({ accountId });
    const found = async () =>
      (await caller.overview.attention()).channels.find((channel) => channel.channelId === channelId);
    expect(await found()).toMatchObject({ customers: [name], more: 0, isMovedOff: false });
    await caller.channels.setMovedOff({ channelId, isMovedOff: true });
    const standing = (await caller.channels.states()).find((channel) => channel.channelId === channelId);
    expect(standing?.state).toBe("moved");
  });

  test("a price below cost names channel, group and customers; a group without accounts raises nothing", async () => {
    const caller = await operator();
    const modelId = await gateway.model();
    const channelId = await gateway.channel({
      model: modelId,
      baseUrl: "http://127.0.0.1:9",
      name: `costly ${modelId}`,
    });
    const { inputPrice } = await caller.prices.get({ id: modelId });
    await caller.prices.setCosts({ channelId, modelId, prices: [{ name: "input", price: inputPrice }] });
    const group = await caller.prices.createGroup({ name: `half ${modelId}`, factor: "0.5", models: [] });
    const below = async () =>
      (await caller.overview.attention()).belowCost.filter((entry) => entry.modelId === modelId);
    const oddities = async () =>
      (await caller.prices.list()).models.find(({ id }) => id === modelId)?.oddities;
    expect([await below(), await oddities()]).toEqual([[], []]);
    const { accountId } = await gateway.customer();
    await caller.accounts.setPriceGroup({ accountId, priceGroupId: group.id });
    const { name } = await caller.accounts.get({ accountId });
    expect(await below()).toEqual([
      {
        ...{ modelId, channels: [`costly ${modelId}`] },
        group: { id: group.id, name: `half ${modelId}`, customers: [name], more: 0 },
      },
    ]);
    expect(await oddities()).toEqual(["belowCost"]);
    await caller.prices.setCosts({ channelId, modelId, prices: [{ name: "input", price: "900" }] });
    expect(await below()).toEqual([{ modelId, channels: [`costly ${modelId}`], group: null }]);
  });

  test("the steps of a new installation are ticked one by one, and the sandbox is no vendor", async () => {
    const empty = await startGateway();
    try {
      const caller = await callerFor(empty, { role: "operator" });
      const none = { hasChannel: false, hasModel: false, hasCustomer: false, hasCall: false };
      expect(await caller.overview.operatorSteps()).toEqual(none);
      expect((await caller.overview.attention()).isEmpty).toBe(true);
      const sandbox = await empty.model();
      await empty.channel({ model: sandbox, dialect: "sandbox", baseUrl: "sandbox:" });
      expect(await caller.overview.operatorSteps()).toEqual(none);
      const model = await empty.model();
      await empty.channel({ model, baseUrl: "http://127.0.0.1:9" });
      expect(await caller.overview.operatorSteps()).toEqual({ ...none, hasChannel: true, hasModel: true });
      await caller.accounts.create({ name: "first", quota: "1", email: "first@customer.test" });
      expect(await caller.overview.operatorSteps()).toMatchObject({ hasCustomer: true, hasCall: false });
    } finally {
      await empty.close();
    }
  });
});
