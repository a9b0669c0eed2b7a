/** What Citus asks of the schema and of statements, tested without Citus (docs/citus.md). */
import { globSync, readFileSync } from "node:fs";
import { getTableName } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import { describe, expect, test } from "vitest";
import { EVERYWHERE, OF_ACCOUNTS } from "./distribution";
import * as schema from "./schema";

/** Tables that stay on the coordinator. A new table is named here, or in distribution.ts and docs/citus.md. */
const STAYING = `
  accounts api_keys audit_entries background_responses channel_alarms channel_model_checks channel_models channels
  code_batches cost_prices cost_totals day_sums idempotent_answers labelled_objects ledger_checks mail_recipients
  management_keys missed_paths model_hours model_prices models outage_parts password_requests payments price_groups
  rate_limits reached_shares redeem_codes secret_checks sessions spend_totals user_identities user_links users
  video_prices video_tasks webhook_deliveries webhooks`
  .trim()
  .split(/\s+/);

const tables = Object.values(schema);
const distributed = tables.filter((table) => OF_ACCOUNTS.includes(getTableName(table)));

test("every table has one place: with its account, on every machine, or on the coordinator", () => {
  const placed = [...OF_ACCOUNTS, ...EVERYWHERE, ...STAYING];
  expect(tables.map((table) => getTableName(table)).toSorted()).toEqual(placed.toSorted());
});

test.each(["docs/citus.md", "docs/zh/citus.md"])("%s names the tables that leave the coordinator", (page) => {
  const text = readFileSync(page, "utf8");
  expect([...OF_ACCOUNTS, ...EVERYWHERE].filter((table) => !text.includes(`\`${table}\``))).toEqual([]);
});

describe.each(distributed.map((table) => [getTableName(table), getTableConfig(table)] as const))(
  "%s can be divided by account",
  (name, { columns, primaryKeys, indexes, foreignKeys }) => {
    test("each row has an account, and is unique within it", () => {
      expect(columns.find((column) => column.name === "accountId")?.notNull).toBe(true);
      const keys = [
        ...primaryKeys.map((key) => key.columns.map((column) => column.name)),
        ...columns.filter((column) => column.primary || column.isUnique).map((column) => [column.name]),
        ...indexes
          .filter(({ config }) => config.unique)
          .map(({ config }) => config.columns.map((column) => ("name" in column ? column.name : ""))),
      ];
      expect(keys.filter((key) => !key.includes("accountId"))).toEqual([]);
    });

    test("no row points to a row of another machine", () => {
      const targets = foreignKeys.map((key) => getTableName(key.reference().foreignTable));
      // `db distribute` drops the key from a month to its account.
      const apart = targets.filter((target) => !OF_ACCOUNTS.includes(target) && name !== "account_months");
      expect(apart).toEqual([]);
    });
  },
);

/** A `case` or a `coalesce` that reads the clock, which Citus refuses in a change of a distributed table. */
const CLOCK = /\b(?:case\s(?:(?!\bend\b)[^`])*?|coalesce\((?:[^()`]|\([^()`]*\))*?)\bnow\(\)/;

/** Its table stays on the coordinator. */
const OF_STAYING = ["server/billing/entries/code-batches.ts"];

test("the pattern finds a clock within a case, and none beside it", () => {
  expect("set at = case when at < now() then 1 end").toMatch(CLOCK);
  expect("set at = coalesce(old, least(1), now())").toMatch(CLOCK);
  expect("select case when is then 1 end, coalesce(a, 0), now() + b").not.toMatch(CLOCK);
});

test("no statement on accounts' tables reads the clock within a case", () => {
  const files = globSync("server/{billing,calls,idempotency,responses,videos}/**/*.ts").filter(
    (file) => !file.endsWith(".test.ts") && !OF_STAYING.includes(file),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => CLOCK.test(readFileSync(file, "utf8")))).toEqual([]);
});
