import { describe, expect, test } from "vitest";
import { createAccount, issueKey, setAccountStatus } from "@/server/access";
import { nanos } from "@/server/base/money";
import { setMonthlyQuota } from "@/server/billing";
import type { AccountId } from "@/server/domain/ids";
import { newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { money } from "@/tests/support/customer";
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
  test("says until when the money lasts at the pace of late, where that is before the month ends", async () => {
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

  test("ticks off the steps to a first call as they are made, and then has none to show", async () => {
    const name = `steps ${Date.now()}`;
    const { id: accountId } = await createAccount(gateway.runtime.db, {
      name,
      monthlyQuotaNanos: money("10"),
    });
    const owner = await ownerOf(accountId);
    const none = { hasKey: false, hasCall: false, hasCharge: false };
    expect(await owner.overview.firstSteps()).toEqual({ ...none, model });
    const pepper = gateway.runtime.secrets.keyPepper;
    const { secret } = await issueKey(gateway.runtime.db, { accountId, name: "first" }, pepper);
    expect(await owner.overview.firstSteps()).toMatchObject({ hasKey: true, hasCall: false });
    await talk(secret, "no-such-model");
    expect(await owner.overview.firstSteps()).toMatchObject({ hasCall: true, hasCharge: false });
    expect((await talk(secret)).status).toBe(200);
    expect(await owner.overview.firstSteps()).toMatchObject({ hasCharge: true });
  });
});

describe("an operator's overview", () => {
  test("counts accounts that may call apart from those that may not", async () => {
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

  test("counts the calls of a day, and those of them that failed", async () => {
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

  test("points at channels that fail, and at models that nobody serves", async () => {
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
});
