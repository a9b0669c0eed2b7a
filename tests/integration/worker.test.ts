import { expect, test } from "vitest";
import { withinMs } from "@/server/base/deadline";
import { makeLedgerMonths } from "@/server/billing";
import { openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { startGateway } from "@/tests/support/gateway";
import { until } from "@/tests/support/until";

test("a server that is stopped while a month is being closed does not wait for that", async () => {
  const gateway = await startGateway();
  const other = openDatabase(gateway.databaseUrl);
  await makeLedgerMonths(gateway.runtime.db, "2025-01");
  const holder = await sqlOf(other).reserve();
  await holder`select pg_advisory_lock(hashtext('closing months of the ledger'))`;
  // The first pass comes ten seconds after the start.
  await until(async () => {
    const waiting = await holder`
      select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    return waiting.length > 0;
  }, 20_000);
  const stopped = gateway.close().then(() => "stopped");
  const outcome = await withinMs(stopped, 10_000);
  await holder`select pg_advisory_unlock_all()`;
  holder.release();
  await stopped;
  await other.close();
  expect(outcome).toBe("stopped");
});
