import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { bundle } from "@/scripts/build.mjs";
import type * as Rooms from "@/server/db";
import { type Db, openDatabase, tables, transaction } from "@/server/db";
import type * as Handles from "@/server/db/handles";
import { ormOf, sqlOf } from "@/server/db/handles";
import { freshDatabase } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";

const { secretChecks } = tables;

const db = perFile(async () => openDatabase(await freshDatabase()));

/** Writes one row by Drizzle and one by the driver, as a video's task and its money are written. */
async function writeBoth(on: Db, name: string): Promise<void> {
  await ormOf(on)
    .insert(secretChecks)
    .values({ name: `${name} of Drizzle`, sealed: name });
  await sqlOf(on)`insert into secret_checks (name, sealed) values (${`${name} of the driver`}, ${name})`;
}

const written = (on: Db, name: string) => ormOf(on).$count(secretChecks, eq(secretChecks.sealed, name));

describe("a transaction", () => {
  test("covers the statements of Drizzle and of the driver", async () => {
    const broken = transaction(db, async (tx) => {
      await writeBoth(tx, "broken");
      expect([await written(tx, "broken"), await written(db, "broken")]).toEqual([2, 0]);
      throw new Error("after all");
    });
    await expect(broken).rejects.toThrow("after all");
    expect(await written(db, "broken")).toBe(0);
    await transaction(db, (tx) => writeBoth(tx, "whole"));
    expect(await written(db, "whole")).toBe(2);
  });

  test("has nested parts that fail without it", async () => {
    await transaction(db, async (tx) => {
      await writeBoth(tx, "outer");
      const part = transaction(tx, async (inner) => {
        await writeBoth(inner, "part");
        throw new Error("only this");
      });
      await expect(part).rejects.toThrow("only this");
    });
    expect([await written(db, "outer"), await written(db, "part")]).toEqual([2, 0]);
  });

  test("can be begun and used by another copy of this code, such as Next's bundle", async () => {
    const folder = mkdtempSync(resolve("node_modules/.cache/database-"));
    await bundle({ db: "server/db/index.ts", handles: "server/db/handles.ts" }, folder);
    const importCopy = async (name: string) => await import(pathToFileURL(join(folder, `${name}.js`)).href);
    const copy: typeof Rooms & typeof Handles = {
      ...(await importCopy("db")),
      ...(await importCopy("handles")),
    };
    rmSync(folder, { recursive: true });
    expect(copy.transaction).not.toBe(transaction);
    await copy.transaction(db, async (tx) => {
      await copy.ormOf(tx).insert(copy.tables.secretChecks).values({ name: "by a copy", sealed: "copy" });
      expect(await copy.sqlOf(tx)`select 1 from secret_checks where sealed = 'copy'`).toHaveLength(1);
    });
    expect(await written(db, "copy")).toBe(1);
  });
});
