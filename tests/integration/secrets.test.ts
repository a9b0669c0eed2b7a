import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { beginTotp, createUser, enableTotp, resealTotpSecrets, signIn } from "@/server/access";
import { loadConfig } from "@/server/base/config";
import { loadSecrets } from "@/server/base/secrets";
import { createVault } from "@/server/base/vault";
import { resealChannels } from "@/server/channels";
import { secretsCommands } from "@/server/cli/secrets";
import { sqlOf } from "@/server/db/handles";
import { createWebhook } from "@/server/notifications";
import { ensureSecretChecks, findWrongSecrets } from "@/server/operations";
import { resealTasks } from "@/server/videos";
import { commandsOn } from "@/tests/support/command";
import { PASSWORD } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { serverEnvironment, startGateway, type TestGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";
import { codeAt } from "@/tests/support/user-room";
import { startVideoGateway, turbo } from "@/tests/support/video-client";

const OLD = { ENCRYPTION_KEY: "old-encryption-".repeat(3), KEY_PEPPER: "old-pepper-".repeat(4) };
const NEW = { ENCRYPTION_KEY: "new-encryption-".repeat(3), KEY_PEPPER: "new-pepper-".repeat(4) };
const BOTH = { ...NEW, ENCRYPTION_KEY_PREVIOUS: OLD.ENCRYPTION_KEY, KEY_PEPPER_PREVIOUS: OLD.KEY_PEPPER };

const upstream = perFile(() => startUpstream(answerWith("hi")));

const secretsOf = (env: Record<string, string>, databaseUrl = "postgres://nobody@nowhere/none") =>
  loadSecrets(loadConfig({ ...serverEnvironment(databaseUrl), ...env }));

/** A stopped installation under the old secrets, with a key, a channel and a user with a second factor. */
async function installation() {
  const gateway = await startGateway({ env: OLD });
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl, secrets: ["sk-the-first", "sk-the-second"] });
  const { secret } = await gateway.customer();
  const { db } = gateway.runtime;
  const email = `${randomUUID()}@tollgate.test`;
  const user = await createUser(db, { accountId: null, email, password: PASSWORD });
  const deps = gateway.runtime.identity;
  const claim = { userId: user.id, issuer: "Tollgate", proof: { password: PASSWORD } };
  const totp = (await beginTotp(db, deps, claim)).secret;
  const codes = await enableTotp(db, deps, { userId: user.id, code: codeAt(totp) });
  const webhook = { accountId: null, url: "https://hooks.test/", events: ["video.failed" as const] };
  await createWebhook(db, webhook, gateway.runtime.vault);
  await gateway.close();
  return { databaseUrl: gateway.databaseUrl, model, secret, email, totp, codes };
}

const open = (databaseUrl: string, env: Record<string, string>) => startGateway({ databaseUrl, env });

const ask = (gateway: TestGateway, secret: string, model: string) =>
  gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] });

async function enter({ runtime }: TestGateway, who: { email: string; code: string }) {
  const attempt = { ...who, password: PASSWORD, address: null };
  return (await signIn(runtime.db, runtime.identity, attempt)).outcome;
}

const rotate = ({ runtime, databaseUrl }: TestGateway) => {
  const { config, secrets, db } = runtime;
  const process = { env: {}, onInterrupt: () => {}, tell: () => {} };
  return secretsCommands.rotate?.run({ config, secrets, db, database: db, databaseUrl, ...process }, {});
};

const lockWaiters = (db: TestGateway["runtime"]["db"]) => sqlOf(db)<{ pid: number }[]>`
  select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;

describe("a start with another secret than the database was used with", () => {
  test.each(["ENCRYPTION_KEY", "KEY_PEPPER"] as const)(
    "is refused with a sentence that names %s, by commands too, and found by doctor",
    async (name) => {
      const { databaseUrl } = await installation();
      const started = open(databaseUrl, { ...OLD, [name]: NEW[name] });
      await expect(started).rejects.toThrow(new RegExp(`another ${name}\\..*${name}_PREVIOUS`));
      const gateway = await open(databaseUrl, OLD);
      const wrong = secretsOf({ ...OLD, [name]: NEW[name] });
      expect(await findWrongSecrets(gateway.runtime.db, wrong)).toEqual([name]);
      await gateway.close();
      const { run } = commandsOn(() => databaseUrl, { ...OLD, [name]: NEW[name] });
      const { code, out } = await run("doctor", "--json");
      expect(code).toBe(1);
      expect(JSON.parse(out)).toContainEqual({
        check: "secrets",
        ok: false,
        detail: `this database was used with a different ${name}`,
      });
      expect(await run("user", "list")).toMatchObject({
        code: 2,
        err: expect.stringContaining(`another ${name}.`),
      });
    },
  );

  test("is noticed in an installation without checks by a credential that cannot be decrypted", async () => {
    const { databaseUrl } = await installation();
    const gateway = await open(databaseUrl, OLD);
    const { db } = gateway.runtime;
    const sql = sqlOf(db);
    await sql`delete from secret_checks`;
    await expect(ensureSecretChecks(db, secretsOf(NEW))).rejects.toThrow("ENCRYPTION_KEY");
    expect(await sql`select name from secret_checks`).toHaveLength(0);
    await ensureSecretChecks(db, secretsOf(OLD));
    expect(await findWrongSecrets(db, secretsOf(NEW))).toEqual(["ENCRYPTION_KEY", "KEY_PEPPER"]);
    await gateway.close();
  });

  test("is refused to one of two first starts at once", async () => {
    const gateway = await startGateway({ env: OLD });
    const { db } = gateway.runtime;
    const sql = sqlOf(db);
    await sql`delete from secret_checks`;
    const both = [secretsOf(OLD), secretsOf(NEW)].map((secrets) => ensureSecretChecks(db, secrets));
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await gateway.close();
  });
});

describe("a rotation", () => {
  test("loses nothing: keys, channels, second factors and recovery codes work before, between and after", async () => {
    const { databaseUrl, model, secret, email, totp, codes } = await installation();
    const between = await open(databaseUrl, BOTH);
    expect((await ask(between, secret, model)).status).toBe(200);
    expect(await enter(between, { email, code: codes[0] ?? "" })).toBe("signed_in");
    expect(await rotate(between)).toEqual({
      ...{ channels: 2, secondFactors: 1, tasks: 0 },
      ...{ webhooks: 1, unreadable: 0 },
    });
    expect(await rotate(between)).toEqual({
      ...{ channels: 0, secondFactors: 0, tasks: 0 },
      ...{ webhooks: 0, unreadable: 0 },
    });
    expect((await ask(between, secret, model)).status).toBe(200);
    await between.close();

    const after = await open(databaseUrl, NEW);
    expect((await ask(after, secret, model)).status).toBe(200);
    expect(upstream.requests.at(-1)?.headers.authorization).toMatch(/^Bearer sk-the-(first|second)$/);
    expect(await enter(after, { email, code: codeAt(totp, Date.now() + 30_000) })).toBe("signed_in");
    await after.close();
    await expect(open(databaseUrl, OLD)).rejects.toThrow("another ENCRYPTION_KEY and another KEY_PEPPER");
  });

  test("encrypts the credentials of video tasks again, also of ended ones, whose files are still fetched", async () => {
    const videos = await startVideoGateway(OLD);
    const { secret } = await videos.customer();
    const ended = await videos.begin(secret, { ...turbo, prompt: "a cat [fail]" });
    await videos.reach(secret, ended, "failed");
    await videos.begin(secret, { ...turbo, prompt: "a cat [stall]" });
    await videos.close();

    const between = await open(videos.databaseUrl, BOTH);
    expect(await rotate(between)).toMatchObject({ tasks: 2, unreadable: 0 });
    const rows = await sqlOf(between.runtime.db)<
      { credential: string }[]
    >`select credential from video_tasks`;
    const fresh = createVault(NEW.ENCRYPTION_KEY);
    expect(rows.map(({ credential }) => fresh.open(credential))).toEqual([
      "upstream-secret",
      "upstream-secret",
    ]);
    await between.close();
  });

  test("leaves a key useless that was not used while both peppers were known", async () => {
    const { databaseUrl, model, secret } = await installation();
    const between = await open(databaseUrl, BOTH);
    await rotate(between);
    await between.close();
    const after = await open(databaseUrl, NEW);
    expect((await ask(after, secret, model)).status).toBe(401);
    await after.close();
  });

  test("runs during calls and sign-ins, none of which fails", async () => {
    const { databaseUrl, model, secret, email, codes } = await installation();
    const gateway = await open(databaseUrl, BOTH);
    const calls = Promise.all(Array.from({ length: 20 }, () => ask(gateway, secret, model)));
    const entries = Promise.all(codes.slice(0, 3).map((code) => enter(gateway, { email, code })));
    await rotate(gateway);
    expect((await calls).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await entries).toEqual(["signed_in", "signed_in", "signed_in"]);
    await gateway.close();
  });

  test("undoes no change of a credential or a second factor that is made meanwhile", async () => {
    const { databaseUrl } = await installation();
    const gateway = await open(databaseUrl, BOTH);
    const { db } = gateway.runtime;
    const sql = sqlOf(db);
    const vault = createVault(NEW.ENCRYPTION_KEY);
    const changed = vault.seal("changed");
    const { rotation } = await sql.begin(async (editor) => {
      await editor`update channels set credentials = ${sql.json([changed])}`;
      await editor`update users set totp_secret = ${changed} where totp_secret is not null`;
      const running = Promise.all([
        resealChannels(db, gateway.runtime.vault),
        resealTotpSecrets(db, gateway.runtime.vault),
      ]);
      await eventually(() => lockWaiters(db), 20_000).toHaveLength(2);
      return { rotation: running };
    });
    await rotation;
    const [channel] = await sql<{ credentials: string[] }[]>`select credentials from channels`;
    expect(channel?.credentials.map(vault.open)).toEqual(["changed"]);
    const [user] = await sql<{ secret: string }[]>`
      select totp_secret as secret from users where totp_secret is not null`;
    expect(vault.open(user?.secret ?? "")).toBe("changed");
    await gateway.close();
  });

  test("that broke off in the middle is completed by the next one", async () => {
    const { databaseUrl, model, secret } = await installation();
    const gateway = await open(databaseUrl, BOTH);
    for (const _ of [1, 2, 3]) {
      await gateway.channel({ model: await gateway.model(), baseUrl: upstream.baseUrl });
    }
    const { db } = gateway.runtime;
    const sql = sqlOf(db);
    const old = createVault(OLD.ENCRYPTION_KEY);
    await sql`update channels set credentials = ${sql.json([old.seal("sk-one"), old.seal("sk-two")])}`;
    const [, , third] = await sql<{ id: string }[]>`select id from channels order by id`;
    // Two rows are done; the run is interrupted at the third one, which is locked.
    const broken = await sql.begin(async (holder) => {
      await holder`select id from channels where id = ${third?.id ?? ""} for update`;
      const running = resealChannels(db, gateway.runtime.vault).then(
        () => "done",
        () => "broken off",
      );
      await eventually(() => lockWaiters(db), 20_000).toHaveLength(1);
      for (const { pid } of await lockWaiters(db)) {
        await sql`select pg_cancel_backend(${pid})`;
      }
      return await running;
    });
    expect(broken).toBe("broken off");
    expect(await findWrongSecrets(db, secretsOf(NEW))).toEqual(["ENCRYPTION_KEY", "KEY_PEPPER"]);
    expect((await ask(gateway, secret, model)).status).toBe(200);
    expect(await rotate(gateway)).toMatchObject({ channels: 4, unreadable: 0 });
    const fresh = createVault(NEW.ENCRYPTION_KEY);
    const rows = await sql<{ credentials: string[] }[]>`select credentials from channels`;
    expect(rows.flatMap(({ credentials }) => credentials.map(fresh.open)).sort()).toEqual([
      ...["sk-one", "sk-one", "sk-one", "sk-one"],
      ...["sk-two", "sk-two", "sk-two", "sk-two"],
    ]);
    await gateway.close();
  });

  test("skips what neither key decrypts, and counts it", async () => {
    const gateway = await startGateway({ env: OLD });
    await gateway.channel({ model: await gateway.model(), baseUrl: upstream.baseUrl });
    const vault = createVault(NEW.ENCRYPTION_KEY);
    expect(await resealChannels(gateway.runtime.db, vault)).toEqual({ resealed: 0, unreadable: 1 });
    expect(await resealTotpSecrets(gateway.runtime.db, vault)).toEqual({ resealed: 0, unreadable: 0 });
    expect(await resealTasks(gateway.runtime.db, vault)).toEqual({ resealed: 0, unreadable: 0 });
    await gateway.close();
  });
});
