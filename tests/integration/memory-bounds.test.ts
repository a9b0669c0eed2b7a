import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createAccount } from "@/server/access";
import { findKey } from "@/server/access/keys/find-key";
import { createCache } from "@/server/base/cache";
import { GatewayError } from "@/server/base/errors";
import { nanos } from "@/server/base/money";
import { createCatalog, saveModel } from "@/server/catalog";
import { openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { money } from "@/tests/support/customer";
import { freshDatabase } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";

const db = perFile(async () => openDatabase(await freshDatabase()));

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The bytes of objects that some work leaves in memory. */
async function bytesLeftBy(work: () => Promise<unknown>): Promise<number> {
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  await work();
  return used() - before;
}

test("a cached key takes less than the two kilobytes for which MAX_CACHED_KEYS allows", async () => {
  const keys = 4_000;
  const { id } = await createAccount(db, { name: "a", monthlyQuotaNanos: nanos(0n) });
  const nameOf = (serial: number) => `${"h".repeat(36)}-${serial}`;
  await sqlOf(db)`
    insert into api_keys (id, account_id, name, hash, last_four, status)
    select 'key_' || lpad(to_hex(i), 32, '0'), ${id}, 'k', repeat('h', 36) || '-' || i, 'abcd', 'active'
    from generate_series(1, ${keys}) as i`;
  await sqlOf(db)`analyze api_keys`;
  const cache = createCache((name: string) => findKey(db, name), { maxAgeMs: 600_000, maxEntries: 200_000 });
  const read = async (from: number, to: number) => {
    for (let serial = from; serial < to; serial += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => cache.get(nameOf(serial + index))));
    }
  };
  // Connections and prepared statements are not the keys'.
  await read(1, 1_001);
  const bytes = await bytesLeftBy(() => read(1_001, keys + 1));
  expect(bytes / (keys - 1_000)).toBeLessThan(2_000);
  expect(await cache.get(nameOf(keys))).toMatchObject({ accountId: id });
}, 60_000);

test("10,000 models take less than 20 megabytes, also when all of them have been sold", async () => {
  await saveModel(db, {
    ...{ id: "pattern", kind: "chat", isEnabled: true, inputPrice: money("1"), outputPrice: money("2") },
    ...{ cacheReadPrice: money("0.1"), maxOutputTokens: 1_000 },
  });
  await sqlOf(db)`
    insert into models select (json_populate_record(models, json_build_object('id', 'model-' || n))).*
    from models, generate_series(1, 10000) as n where id = 'pattern'`;
  const catalog = createCatalog({ db });
  // On a busy machine the first reading may take longer than a call waits for it.
  const count = () =>
    catalog.list().then(
      ({ length }) => length,
      (error: unknown) => {
        if (error instanceof GatewayError && error.kind === "unavailable") {
          return "late";
        }
        throw error;
      },
    );
  const bytes = await bytesLeftBy(() => eventually(count).toBe(10_001));
  expect(bytes).toBeLessThan(20_000_000);
  expect(await catalog.get("model-7", "chat", null)).toMatchObject({ id: "model-7" });
});
