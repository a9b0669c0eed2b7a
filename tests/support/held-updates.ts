import { sql } from "drizzle-orm";
import { transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { EmbeddedGateway } from "./embedded-gateway";
import { until } from "./until";

/**
 * Holds every update of a table until `act` has ended. `untilHeld` waits for the first of them. Returns a function that
 * removes the trigger; it needs a running server.
 */
export async function holdUpdates(
  gateway: EmbeddedGateway,
  table: string,
  act: (untilHeld: () => Promise<void>) => Promise<void>,
): Promise<() => Promise<unknown>> {
  await gateway.withLedger(async ({ db }) => {
    const orm = ormOf(db);
    await orm.execute(sql`create function hold_update() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(4711); return new; end'`);
    await orm.execute(sql`create trigger hold_update before update on ${sql.identifier(table)}
      for each row execute function hold_update()`);
    await transaction(db, async (tx) => {
      await ormOf(tx).execute(sql`select pg_advisory_xact_lock(4711)`);
      const waiting = sql`select from pg_locks where locktype = 'advisory' and not granted`;
      await act(() => until(async () => (await orm.execute(waiting)).length > 0));
    });
  });
  return () => gateway.withLedger(({ db }) => ormOf(db).execute(sql`drop function hold_update cascade`));
}
