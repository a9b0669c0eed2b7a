/** Configuration as files: the example of its page, applied to real installations. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAccounts } from "@/server/access";
import { listChannels } from "@/server/channels";
import { sqlOf } from "@/server/db/handles";
import { membersOf } from "@/server/files/kind";
import { allKinds } from "@/server/files/kinds";
import { firstBoot } from "@/server/process/first-boot";
import { commandsOn } from "@/tests/support/command";
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
import { startGateway, type TestGateway } from "@/tests/support/gateway";

const { home, page, install } = fileInstallations();

/** Makes a paid call. */
const statusOf = (gateway: TestGateway, secret: string) => async () => {
  const question = { model: "gpt-5.1", messages: [{ role: "user", content: "What floats?" }] };
  const response = await gateway.chat(secret, question);
  await response.text();
  return response.status;
};

describe("the example of the page", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await install();
  });
  afterAll(() => installation.gateway.close());

  test("is shown by a dry run, which changes nothing", async () => {
    const { apply } = installation;
    const { code, out } = await apply("--dry-run");
    expect([code, out]).toEqual([1, expect.stringContaining("8 to create.")]);
    expect(await auditEntries(installation)).toEqual([]);
    expect(await listAccounts(installation.gateway.runtime.db)).toEqual([]);
  });

  test("makes an empty installation answer a call at its prices, with a named actor in the audit log", async () => {
    const { apply, gateway } = installation;
    expect(await apply()).toMatchObject(isApplied);
    await eventually(statusOf(gateway, KEY_SECRET)).toBe(200);
    const [account] = await listAccounts(gateway.runtime.db);
    const [entry] = account ? await gateway.entries(account.id) : [];
    // 1,000 tokens at 1.25 per million and 500 at 10, each times 0.8.
    expect(entry?.amount).toBe(5_000_000n);
    expect(page.upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${UPSTREAM_SECRET}`);
    const actors = new Set((await auditEntries(installation)).map(({ actor }) => actor));
    expect([...actors]).toEqual(["apply:default"]);
  });

  test("changes nothing when it is applied again: no row, no audit entry", async () => {
    const { apply } = installation;
    const before = await auditEntries(installation);
    const [channel] = await listChannels(installation.gateway.runtime.db);
    const { out, ...ended } = await apply();
    expect([out, ended]).toEqual(["No changes (8 unchanged).\n", isApplied]);
    expect((await apply("--dry-run")).code).toBe(0);
    expect(await auditEntries(installation)).toEqual(before);
    expect(await listChannels(installation.gateway.runtime.db)).toEqual([channel]);
  });

  test("shows a changed price in one line, and books it", async () => {
    const { apply, write, json } = installation;
    await write(page.example.replace("output_price: 10", "output_price: 12"));
    const { out } = await apply("--dry-run");
    expect(out.split("\n").slice(1)).toEqual(["    output_price: 10 -> 12", "1 to change, 7 unchanged.", ""]);
    expect(await apply()).toMatchObject(isApplied);
    expect(await json("model", "show", "--id", "gpt-5.1")).toMatchObject({ prices: { output: "12" } });
    await write(page.example);
    expect(await apply()).toMatchObject(isApplied);
  });

  test("takes another spelling of a value as the same value", async () => {
    const { apply, write } = installation;
    const spelt = page.example
      .replace("quota: 500", 'quota: "500.00"')
      .replace("models: [gpt-5.1]", "allowed_ips: [10.0.0.7, 10.0.0.7/32]\n        models: [gpt-5.1]");
    await write(spelt);
    expect((await apply()).out).toContain("allowed_ips: [] -> [10.0.0.7]");
    const before = await auditEntries(installation);
    expect((await apply()).out).toBe("No changes (8 unchanged).\n");
    expect(await auditEntries(installation)).toEqual(before);
    await write(spelt.replace("[10.0.0.7, 10.0.0.7/32]", "[]"));
    expect(await apply()).toMatchObject(isApplied);
    await write(page.example);
  });

  test("is equal in a second installation after export and apply", async () => {
    const { run } = installation;
    const [first, second] = [join(home, "first"), join(home, "second")];
    expect(await run("export", "--to", first)).toMatchObject(isApplied);
    const other = await install({ CHANNEL_OPENAI_SECRET: UPSTREAM_SECRET });
    expect(await other.run("apply", "-f", first)).toMatchObject(isApplied);
    expect(await other.run("export", "--to", second)).toMatchObject(isApplied);
    for (const name of ["models", "channels", "price-groups", "accounts", "operators"]) {
      const [a, b] = [first, second].map((folder) => readFile(join(folder, `${name}.yaml`), "utf8"));
      expect(await b).toBe(await a);
    }
    expect((await other.run("apply", "-f", first)).out).toContain("No changes");
    expect((await run("export", "--to", first)).err).toContain("exists already");
    await other.gateway.close();
  });
});

test("no output, audit entry or label has a secret; a changed one is noticed, named and used", async () => {
  const installation = await install();
  const { apply, run, gateway } = installation;
  const first = await apply("--json");
  await eventually(statusOf(gateway, KEY_SECRET)).toBe(200);
  const [next, nextKey] = ["sk-upstream-4712", `sk-${"n4".repeat(21)}w`];
  const later = commandsOn(() => gateway.databaseUrl, { OPENAI_API_KEY: next, ACME_PRODUCTION_KEY: nextKey });
  const planned = await later.run("apply", "-f", installation.folder, "--dry-run");
  expect(planned.out).toMatch(
    /secrets: changed \(env OPENAI_API_KEY\)\n[\s\S]*secret: changed \(env ACME_PRODUCTION_KEY\)\n2 to change/,
  );
  const changed = await later.run("apply", "-f", installation.folder);
  expect((await later.run("apply", "-f", installation.folder)).out).toContain("No changes");
  await eventually(statusOf(gateway, nextKey)).toBe(200);
  await eventually(async () => {
    await statusOf(gateway, nextKey)();
    return page.upstream.requests.at(-1)?.headers.authorization;
  }).toBe(`Bearer ${next}`);
  // The former secret works for an hour, so that programs can follow.
  expect(await statusOf(gateway, KEY_SECRET)()).toBe(200);
  const stored = await sql(installation)`select before, after from audit_entries`;
  const labels = await sql(installation)`select * from labelled_objects`;
  const shown = JSON.stringify([first, planned, changed, await run("export"), stored, labels]);
  expect([UPSTREAM_SECRET, KEY_SECRET, next, nextKey].filter((secret) => shown.includes(secret))).toEqual([]);
  await gateway.close();
});

test("a quota is set by the law of the console, with a reason in the ledger", async () => {
  const { apply, write, json, gateway } = await install();
  await apply();
  await eventually(statusOf(gateway, KEY_SECRET)).toBe(200);
  await write(page.example.replace("quota: 500", "quota: 600"));
  expect((await apply()).out).toContain("quota: 500 -> 600");
  const [account] = await listAccounts(gateway.runtime.db);
  const notes = await sqlOf(gateway.runtime.db)<{ kind: string; note: string }[]>`
    select kind, note from ledger_entries where account_id = ${account?.id ?? ""} and kind = 'adjust'`;
  expect([...notes]).toEqual([{ kind: "adjust", note: "configuration files" }]);
  // This month's quota is never below what is spent: 0.005.
  await write(page.example.replace("quota: 500", "quota: 0.001"));
  expect((await apply()).out).toContain("quota: 600 -> 0.001");
  expect(await json("account", "show", "--account", "acme")).toMatchObject({ quota: "0.005", used: "0.005" });
  expect(await json("ledger", "verify")).toMatchObject({ drift: [] });
  await gateway.close();
});

test("a change that an operation refuses is named with its line before anything is changed", async () => {
  const { apply, write, json, gateway, folder } = await install();
  await apply();
  const text = page.example
    .replace("output_price: 10", "output_price: 11")
    .replace("group: partners", "group: gold");
  await write(text);
  const { code, err } = await apply();
  const line = text.split("\n").findIndex((each) => each.includes("group: gold")) + 1;
  const [first, ...others] = err.trim().split("\n");
  expect([code, first]).toEqual([
    2,
    `${join(folder, "tollgate.yaml")}:${line}: account acme: price_group: there is no price group "gold"`,
  ]);
  expect(others).toEqual(["Refused. Nothing was changed."]);
  expect(await json("model", "show", "--id", "gpt-5.1")).toMatchObject({ prices: { output: "10" } });
  await gateway.close();
});

test("exit code 3 says that a second try may succeed: the database is away", async () => {
  const { gateway, folder } = await install();
  // No server listens on port 1.
  const { run } = commandsOn(() => "postgres://tollgate@127.0.0.1:1/tollgate");
  expect(await run("apply", "-f", folder)).toEqual({
    code: 3,
    out: "",
    err: expect.stringContaining("the database does not respond"),
  });
  await gateway.close();
});

test("an installation with the sandbox is exported and applied to another", async () => {
  const first = await startGateway({ env: { SANDBOX: "on" } });
  await firstBoot(first.runtime, () => {});
  const { out } = await commandsOn(() => first.databaseUrl).run("export");
  const { gateway, write, apply, run } = await install();
  await write(out);
  expect(await apply()).toMatchObject(isApplied);
  expect((await run("export")).out).toBe(out);
  await Promise.all([first.close(), gateway.close()]);
});

test("every member of the files is in what the installation shows, so that a difference is seen", async () => {
  const { apply, gateway } = await install();
  await apply();
  const parents = new Map<string, string>();
  for (const kind of allKinds) {
    const parent = allKinds.find(({ children }) => children.includes(kind));
    const [found] = await kind.list(gateway.runtime.db, parent ? (parents.get(parent.noun) ?? null) : null);
    parents.set(kind.noun, found?.id ?? "");
    const shown = new Set(Object.keys(found?.view ?? {}));
    const unseen = Object.keys(membersOf(kind)).filter(
      (member) => member !== kind.secret?.member && !shown.has(member) && !shown.has(`${member}Id`),
    );
    expect([kind.noun, unseen]).toEqual([kind.noun, []]);
  }
  await gateway.close();
});
