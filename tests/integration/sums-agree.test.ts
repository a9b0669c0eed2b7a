/** Revenue, cost, refunds and balances: all places show the same sums of very many charges, to the nano-unit. */
import { beforeAll, describe, expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import type { CsvTable } from "@/server/console/exports/csv";
import { exportRouter } from "@/server/console/exports/router";
import { sqlOf } from "@/server/db/handles";
import { newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor, contextFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { generateBusiness, leftOf, QUOTA, type Truth } from "@/tests/support/generated-business";
import { perFile } from "@/tests/support/per-file";

/** `npm run test:sums` makes 100,000. */
const CALLS = Number(process.env.SUMS_CALLS ?? 4_000);

const gateway = perFile(() => startGateway());
const commands = commandsOn(() => gateway.databaseUrl);
const money = (text: string | null | undefined) =>
  parseMoney(text ?? "0") ?? expect.fail(`${text} is no money`);
const quota = nanos(money(QUOTA));

let truth: Truth;
let operator: Awaited<ReturnType<typeof callerFor>>;
beforeAll(async () => {
  truth = await generateBusiness(gateway, CALLS);
  operator = await callerFor(gateway, { role: "operator" });
}, 600_000);

const period = () => gateway.runtime.billing.period();

type UsageSum = { id: string; amount: string; calls: number };
const amounts = (rows: UsageSum[]) =>
  new Map(rows.map(({ id, amount, calls }) => [id, [money(amount), calls]]));
const expected = (by: keyof Truth["by"]) =>
  new Map([...truth.by[by]].map(([id, { amount, calls }]) => [id, [amount, calls]]));

async function sumOf(
  table: CsvTable,
  names: string[],
  fits: (row: Map<string, unknown>) => boolean = () => true,
) {
  const sums = names.map(() => 0n);
  for await (const batch of table.batches) {
    for (const cells of batch) {
      const row = new Map(table.columns.map((name, place) => [name, cells[place]]));
      if (fits(row)) {
        names.forEach((name, place) => {
          sums[place] = (sums[place] ?? 0n) + money(row.get(name) as string | null);
        });
      }
    }
  }
  return sums;
}

test("the ledger has what was charged, without drift, and nothing is frozen", async () => {
  const sql = sqlOf(gateway.runtime.db);
  const [row] = await sql`
    select count(*)::int as calls, sum(amount)::text as amount, sum(cost)::text as cost,
      sum(amount) filter (where cost is not null)::text as known
    from ledger_entries where kind = 'capture'`;
  expect([row?.calls, BigInt(row?.amount), BigInt(row?.cost), BigInt(row?.known)]).toEqual([
    CALLS,
    truth.total.amount,
    truth.total.cost,
    truth.total.costedAmount,
  ]);
  expect(await gateway.verify()).toEqual([]);
}, 300_000);

describe("revenue", () => {
  test.each(["account", "model"] as const)(
    "by %s is the same in the console, the command and the API",
    async (by) => {
      const shown = await operator.allUsage.show({ by });
      expect(amounts(shown.rows)).toEqual(expected(by));
      expect([money(shown.total.amount), shown.total.calls]).toEqual([truth.total.amount, CALLS]);
      const listed = await commands.json<UsageSum[]>("usage", "show", "--by", by);
      expect(amounts(listed.slice(0, -1))).toEqual(expected(by));
      const { body } = await (await newManager(gateway))(`GET /usage?by=${by}`);
      expect(amounts(body.rows as UsageSum[])).toEqual(expected(by));
    },
  );

  test("over time adds up to the total, and the overview agrees", async () => {
    const { chart } = await operator.allUsage.show({ by: "model" });
    const drawn = chart.series.flatMap(({ points }) => points.map(({ amount }) => money(amount)));
    expect(drawn.reduce((sum, amount) => sum + amount, 0n)).toBe(truth.total.amount);
    const business = await operator.overview.business();
    expect(money(business.month)).toBe(truth.total.amount);
    const days = business.days.map(({ amount }) => money(amount));
    expect(days.reduce((sum, amount) => sum + amount, 0n)).toBe(truth.total.amount);
    for (const { accountId, amount } of business.topAccounts) {
      expect(money(amount)).toBe(truth.by.account.get(accountId)?.amount);
    }
  });
});

test("the overview has the same earnings", async () => {
  const { month } = await operator.overview.earnings({});
  expect([money(month.amount), money(month.cost)]).toEqual([truth.total.costedAmount, truth.total.cost]);
  expect(money(month.margin)).toBe(truth.total.costedAmount - truth.total.cost);
});

test.each(["account", "model", "channel"] as const)(
  "cost and margin by %s are the same in the console, the command and the API",
  async (by) => {
    const { body } = await (await newManager(gateway))(`GET /margin?by=${by}`);
    const shown = await operator.prices.margin({ by });
    const typed = await commands.json<{ name: string; amount: string; cost: string }[]>(
      ...["cost", "margin", "--by", by],
    );
    const sums = typed.find(({ name }) => name === "total");
    expect([money(sums?.amount), money(sums?.cost)]).toEqual([truth.total.costedAmount, truth.total.cost]);
    const sumsById = new Map(
      [...truth.by[by]].flatMap(([id, sum]) => (sum.costedAmount > 0n ? [[id, sum] as const] : [])),
    );
    for (const { rows, total, unknown } of [shown, body as unknown as typeof shown]) {
      expect(rows.map(({ id }) => id).toSorted()).toEqual([...sumsById.keys()].toSorted());
      for (const { id, amount, cost, margin } of rows) {
        const sum = sumsById.get(id) ?? expect.fail();
        const expected = [sum.costedAmount, sum.cost, sum.costedAmount - sum.cost];
        expect([money(amount), money(cost), money(margin)]).toEqual(expected);
      }
      expect([money(total.amount), money(total.cost)]).toEqual([truth.total.costedAmount, truth.total.cost]);
      expect(money(unknown.amount)).toBe(truth.total.amount - truth.total.costedAmount);
    }
  },
);

test("each balance is the credit less the use, wherever it is shown", async () => {
  const { rows } = await operator.accounts.list({});
  const program = await newManager(gateway);
  const months = await commands.json<Record<string, string>[]>("account", "months");
  for (const account of truth.accounts) {
    const { id, used, refunded, toppedUp, adjusted } = account;
    const left = leftOf(account, quota);
    const owner = await callerFor(gateway, { role: "owner", accountId: id });
    const own = await owner.overview.month();
    const { body } = await program(`GET /accounts/${id}`);
    const listed = rows.find((row) => row.id === id)?.month;
    for (const month of [own, listed, (body as { month: typeof own }).month]) {
      expect([money(month?.used), money(month?.available)]).toEqual([used, left]);
    }
    const statement = await owner.billing.wholeStatement({ period: period() });
    const terms = ["used", "refunded", "topups", "adjustments", "closing"] as const;
    expect(terms.map((term) => money(statement[term]))).toEqual([used, refunded, toppedUp, adjusted, left]);
    for (const lines of [statement.models, statement.keys]) {
      expect(lines.reduce((sum, { amount }) => sum + money(amount), 0n)).toBe(used);
    }
    const month = months.find((row) => row.account_id === id || row.account === id);
    const expected = [used, refunded, left];
    expect([money(month?.used), money(month?.refunded), money(month?.closing)]).toEqual(expected);
    const keys = (await owner.keys.list({})).rows;
    expect(keys.reduce((sum, { spent }) => sum + money(spent), 0n)).toBe(used);
  }
});

test("files have the same sums", async () => {
  const [dearest = expect.fail()] = truth.accounts.toSorted((a, b) => Number(b.used - a.used));
  const asOwner = exportRouter.createCaller(
    await contextFor(gateway, { role: "owner", accountId: dearest.id }),
  );
  const statement = () => asOwner.statement({ period: period() });
  const charged = await sumOf(await statement(), ["spent"], (row) => row.get("kind") === "capture");
  expect(charged).toEqual([dearest.used]);
  expect(await sumOf(await statement(), ["added"], (row) => row.get("kind") === "refund")).toEqual([
    dearest.refunded,
  ]);
  const [added = 0n, spent = 0n] = await sumOf(await statement(), ["added", "spent"]);
  expect(added - spent).toBe(leftOf(dearest, quota));
  const asOperator = exportRouter.createCaller(await contextFor(gateway, { role: "operator" }));
  const total = (pick: (account: Truth["accounts"][number]) => bigint) =>
    truth.accounts.reduce((sum, account) => sum + pick(account), 0n);
  expect(
    await sumOf(await asOperator.months({}), ["used", "refunded", "top_ups", "debited", "closing"]),
  ).toEqual([
    truth.total.amount,
    total(({ refunded }) => refunded),
    total(({ toppedUp }) => toppedUp),
    -total(({ adjusted }) => adjusted),
    total((account) => leftOf(account, quota)),
  ]);
});
