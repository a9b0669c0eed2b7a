/** Configuration as files: which objects belong to them, and how an apply ends that is not alone or not finished. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAccounts, listKeys } from "@/server/access";
import { sqlOf } from "@/server/db/handles";
import { TemporaryRefusal } from "@/server/domain/refusal";
import { withApplyLock } from "@/server/labels";
import { commandsOn } from "@/tests/support/command";
import { openFresh } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import {
  auditEntries,
  fileInstallations,
  type Installation,
  isApplied,
  KEY_SECRET,
  sql,
  UPSTREAM_SECRET,
} from "@/tests/support/file-installations";

const { page, install } = fileInstallations();

describe("pruning", () => {
  let installation: Installation;
  const withoutKey = () =>
    page.example.replace(/ {4}keys:[\s\S]*?(?=\noperators)/, "").replace(/operators:[\s\S]*/, "");
  beforeAll(async () => {
    installation = await install();
    await installation.json("account", "create", "--name", "by-hand", "--quota", "5");
    await installation.json("key", "create", "--account", "by-hand", "--name", "by-hand");
    await installation.write(
      `${page.example}\n---\naccounts: [{ name: by-hand, quota: 6, keys: [{ name: by-hand }] }]\n`,
    );
    expect(await installation.apply("--label", "team")).toMatchObject(isApplied);
  });
  afterAll(() => installation.gateway.close());

  const keysByName = async () =>
    Object.fromEntries(
      (await listKeys(installation.gateway.runtime.db, {})).map(({ name, status }) => [name, status]),
    );

  test("happens only if it is wanted, and a note says what it would end", async () => {
    const { apply, write } = installation;
    await write(withoutKey());
    const { code, out } = await apply("--label", "team", "--dry-run");
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(
        "no file names operator finance@example.com, key acme/production any more; `--prune 2`",
      ),
    ]);
  });

  test("changes nothing if there are more objects than it may end", async () => {
    const { apply } = installation;
    const { code, err } = await apply("--label", "team", "--prune", "1");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("2 objects would be pruned, and --prune 1 permits 1"),
    ]);
    expect(await keysByName()).toMatchObject({ production: "active" });
  });

  test("of another label ends nothing, and files of another label cannot change its objects", async () => {
    const { apply, write } = installation;
    await write("price_groups: [{ name: others, factor: 2 }]");
    expect(await apply("--label", "others", "--prune", "5")).toMatchObject(isApplied);
    expect(await keysByName()).toMatchObject({ production: "active" });
    await write(withoutKey());
    const { code, err } = await apply("--label", "others");
    expect([code, err]).toEqual([2, expect.stringContaining('account acme: it belongs to the label "team"')]);
  });

  test("ends what an apply created, and nothing that people made", async () => {
    const { apply, json } = installation;
    const { out, ...ended } = await apply("--label", "team", "--prune", "2");
    expect(ended).toEqual(isApplied);
    expect(out).toMatch(
      /- operator finance@example\.com +removed: [\s\S]*- key acme\/production +disabled: /,
    );
    expect(await keysByName()).toEqual({ production: "disabled", "by-hand": "active" });
    expect(await json("account", "show", "--account", "by-hand")).toMatchObject({
      status: "active",
      quota: "6",
    });
    expect((await apply("--label", "team", "--prune", "0")).out).toContain("No changes");
  });

  test("is undone by files that name the object again", async () => {
    const { apply, write } = installation;
    await write(page.example);
    expect(await apply("--label", "team")).toMatchObject(isApplied);
    expect(await keysByName()).toMatchObject({ production: "active" });
  });
});

test("an object that people renamed gets its name back, instead of a second one in its place", async () => {
  const { apply, json, gateway } = await install();
  await apply();
  await json("account", "rename", "--account", "acme", "--name", "acme-corp");
  const { out } = await apply();
  expect(out).toContain("name: acme-corp -> acme");
  expect((await listAccounts(gateway.runtime.db)).map(({ name }) => name)).toEqual(["acme"]);
  await gateway.close();
});

test("two objects that exchange their names in the files exchange only their names", async () => {
  const { apply, write, json, gateway } = await install();
  await write("accounts: [{ name: a, quota: 1 }, { name: b, quota: 2 }]");
  await apply();
  const ids = new Map((await listAccounts(gateway.runtime.db)).map(({ name, id }) => [name, id]));
  await json("account", "rename", "--account", "b", "--name", "c");
  await json("account", "rename", "--account", "a", "--name", "b");
  await write("accounts: [{ name: b, quota: 1 }, { name: c, quota: 2 }]");
  expect((await apply()).out).toBe("No changes (2 unchanged).\n");
  const now = new Map((await listAccounts(gateway.runtime.db)).map(({ name, id }) => [name, id]));
  expect([now.get("b"), now.get("c")]).toEqual([ids.get("a"), ids.get("b")]);
  await gateway.close();
});

test("keys that share a name are not exported, and files that name them are refused", async () => {
  const { apply, write, json, run, gateway } = await install();
  await json("account", "create", "--name", "a", "--quota", "1");
  for (const name of ["twice", "twice", "once"]) {
    await json("key", "create", "--account", "a", "--name", name);
  }
  const { out, err } = await run("export");
  expect(err).toBe('Not exported: 2 keys of a have the name "twice". Give them different names.\n');
  expect([out.includes("name: once"), out.includes("twice")]).toEqual([true, false]);
  await write("accounts: [{ name: a, keys: [{ name: twice }] }]");
  const refused = await apply();
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringContaining("key a/twice: 2 objects have this name"),
  ]);
  await gateway.close();
});

test("of two concurrent applies one makes the changes and the other finds none", async () => {
  const installation = await install();
  const { apply, gateway } = installation;
  const both = await Promise.all([apply(), apply()]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const ends = both.map(({ out }) => out.trim().split("\n").at(-1));
  expect(ends.sort()).toEqual(["8 created.", "No changes (8 unchanged)."]);
  const actions = (await auditEntries(installation)).map(({ action }) => action);
  expect(actions.filter((action) => action === "account.create")).toEqual(["account.create"]);
  await gateway.close();
});

test("an apply waits while another one runs, and says so", async () => {
  const { apply, gateway } = await install();
  const { db } = gateway.runtime;
  const countWaiting = async () =>
    (
      await sqlOf(db)`
        select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
    ).length;
  const applied = await withApplyLock(
    db,
    async () => {
      const waiting = apply();
      await eventually(countWaiting).toBe(1);
      expect(await listAccounts(db)).toEqual([]);
      return { waiting };
    },
    { onWait: () => {} },
  );
  expect(await applied.waiting).toMatchObject({
    code: 0,
    err: "Another apply is running. Waiting for it.\n",
  });
  await gateway.close();
});

test("an erased account and its people leave no name in the labels", async () => {
  const installation = await install();
  const { apply, json, run, gateway } = installation;
  await apply();
  await json("account", "disable", "--account", "acme");
  expect(await run("account", "erase", "--account", "acme")).toMatchObject(isApplied);
  const rows = await sql(installation)<{ kind: string }[]>`select kind from labelled_objects order by kind`;
  expect(rows.map(({ kind }) => kind)).toEqual(["channel", "cost", "model", "operator", "price group"]);
  await gateway.close();
});

test("a failure in the middle says what was applied and what was not, and the next apply finishes", async () => {
  const installation = await install();
  const { apply, gateway } = installation;
  // At the commit, which a dry run never reaches.
  await sql(installation).unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'out of order'; end $$;
    create constraint trigger refuse after insert on api_keys initially deferred
      for each row execute function refuse()`);
  const { code, out, err } = await apply("--prune", "3");
  expect(code).toBe(1);
  expect(out).toContain("+ account acme");
  expect(err).toContain(
    "Not applied:\nkey acme/production: out of order\noperator finance@example.com: not tried",
  );
  await sql(installation).unsafe("drop trigger refuse on api_keys");
  expect((await apply()).out).toMatch(/2 created, 6 unchanged\.\n$/);
  expect((await apply()).out).toBe("No changes (8 unchanged).\n");
  await gateway.close();
});

test("an apply that is stopped before its first change makes none, and may be run again", async () => {
  const { folder, gateway } = await install();
  const variables = { OPENAI_API_KEY: UPSTREAM_SECRET, ACME_PRODUCTION_KEY: KEY_SECRET };
  const stopped = commandsOn(
    () => gateway.databaseUrl,
    variables,
    (stop) => stop(),
  );
  const { code, err } = await stopped.run("apply", "-f", folder);
  expect([code, err]).toEqual([3, "this apply was stopped. Nothing was changed.\n"]);
  expect(await listAccounts(gateway.runtime.db)).toEqual([]);
  await gateway.close();
});

test("an apply that waits too long for another one may be run again", async () => {
  const { gateway } = await install();
  const other = openFresh(gateway.databaseUrl);
  const applied = withApplyLock(
    gateway.runtime.db,
    () => withApplyLock(other, async () => "applied", { onWait: () => {}, patienceMs: 100 }),
    { onWait: () => {} },
  );
  await expect(applied).rejects.toBeInstanceOf(TemporaryRefusal);
  await other.close();
  await gateway.close();
});
