/** A primary that lost its power closes no connection, and no packet comes back. */
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { linkTo } from "@/tests/support/database-link";
import { eventually } from "@/tests/support/eventually";
import { startPrimaryAndStandby } from "@/tests/support/standby";

test("connections to a silent primary are given up as soon as another host takes writes", async () => {
  const { primary, standby, killPrimary, close } = await startPrimaryAndStandby();
  const link = await linkTo(primary.url);
  const hosts = [link.url, standby.url].map((url) => new URL(url).host).join(",");
  const address = primary.url.replace(new URL(primary.url).host, hosts);
  const db = openDatabase(`${address}?target_session_attrs=read-write`);
  onTestFinished(async () => {
    await db.close();
    await link.close();
    await close();
  });
  const isStandby = async () => (await sqlOf(db)`select pg_is_in_recovery() as is`)[0]?.is;
  await db.keepWarm();
  expect(await isStandby()).toBe(false);
  link.silence();
  const waiting = isStandby();
  const failed = expect(waiting).rejects.toThrow("the database is on another host now");
  await killPrimary();
  await standby.sql`select pg_promote()`;
  await failed;
  await eventually(() => isStandby().catch(String)).toBe(false);
});
