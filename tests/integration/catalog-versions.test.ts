import { expect, test } from "vitest";
import { saveModel } from "@/server/catalog";
import { noStock, readStock } from "@/server/catalog/stock";
import { openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { money } from "@/tests/support/customer";
import { freshDatabase } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";
import { sheetOf } from "@/tests/support/price-sheet";

/** Models that one transaction has written, as a restored backup's are, behind a place that becomes free. */
const db = perFile(async () => {
  const db = openDatabase(await freshDatabase());
  const sql = sqlOf(db);
  await saveModel(db, { id: "first", kind: "chat", isEnabled: true, inputPrice: money("1") });
  await sql`
    insert into models select (json_populate_record(models, json_build_object('id', 'model-' || n))).*
    from models, generate_series(1, 9) as n where id = 'first'`;
  await sql`update models set enabled = false where id = 'first'`;
  return db;
});

test("each model keeps its own data after the table's rows have moved", async () => {
  const before = await readStock(db, noStock);
  await sqlOf(db)`vacuum full models`;
  const after = await readStock(db, before);
  expect([...after.written.keys()]).toEqual([...before.written.keys()]);
  expect([...after.written].every(([id, model]) => model.id === id)).toBe(true);
});

test("models are read again only after they change, or after the database server restarts", async () => {
  const before = await readStock(db, noStock);
  const same = await readStock(db, before);
  expect(same.written.get("model-1")).toBe(before.written.get("model-1"));
  await sqlOf(db)`update models set input_price = 9, prices = '{"input":"9"}' where id = 'model-1'`;
  expect((await readStock(db, same)).written.get("model-1")?.prices).toEqual(sheetOf({ input: 9n }));
  const restarted = await readStock(db, { ...before, serverStart: "2026-01-01 00:00:00+00" });
  expect(restarted.written.get("model-2")).not.toBe(before.written.get("model-2"));
  expect(restarted.written.get("model-2")).toEqual(before.written.get("model-2"));
});
