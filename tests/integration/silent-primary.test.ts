/** A primary that lost its power closes no connection, and no packet comes back. */
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, patient } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { linkTo } from "@/tests/support/database-link";
import { eventually } from "@/tests/support/eventually";
import { startPrimaryAndStandby } from "@/tests/support/standby";

test.each(["disable", "require"])(
  "connections to a silent primary are given up as soon as another host takes writes (sslmode=%s)",
  async (sslmode) => {
    const { primary, standby, close } = await startPrimaryAndStandby();
    const link = await linkTo(primary.url);
    const hosts = [link.url, standby.url].map((url) => new URL(url).host).join(",");
    const address = primary.url.replace(new URL(primary.url).host, hosts);
    const db = openDatabase(`${address}?target_session_attrs=read-write&sslmode=${sslmode}`);
    onTestFinished(async () => {
      await db.close();
      await link.close();
      await close();
    });
    // The patient pool: elsewhere a statement would also fail because its server is silent for twenty seconds.
    const isStandby = async () => (await sqlOf(patient(db))`select pg_is_in_recovery() as is`)[0]?.is;
    await db.keepWarm();
    expect(await isStandby()).toBe(false);
    link.silence();
    const failed = expect(isStandby()).rejects.toThrow("the database is on another host now");
    // The primary still runs, behind the silence.
    await standby.sql`select pg_promote()`;
    await failed;
    await eventually(() => isStandby().catch(String)).toBe(false);
  },
);
