/** Links to set a password are mailed: those that people ask for at the sign-in page, invitations and resets. */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createUser, linkIdentity, setUserStatus } from "@/server/access";
import { appRouter } from "@/server/console/root";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "@/tests/support/command";
import { callerFor, contextFor, PASSWORD } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { startMailServer } from "@/tests/support/mail-server";
import { notificationRoom } from "@/tests/support/notification-room";
import { perFile } from "@/tests/support/per-file";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";

const server = perFile(startMailServer);
const { gateway } = notificationRoom(() => ({
  SMTP_URL: server.url,
  MAIL_FROM: "Tollgate <alerts@gateway.test>",
}));
const db = () => gateway.runtime.db;
const sql = () => sqlOf(db());

const NEXT = "another password, as long";

const lettersTo = (email: string) => server.received.filter(({ recipients }) => recipients.includes(email));

let hosts = 0;
/** A visitor from another address each time, in a browser that prefers this language. */
async function visitor(language: "en" | "zh" = "en") {
  const context = await contextFor(gateway, null);
  return appRouter.createCaller({ ...context, language, address: `10.9.${hosts++ % 250}.1` }).links;
}

async function newUser(more: Partial<Parameters<typeof createUser>[1]> = {}) {
  const email = `${randomUUID()}@customer.test`;
  return await createUser(db(), { accountId: null, email, password: PASSWORD, ...more });
}

/** Until the worker has answered every request. */
const untilAnswered = () => until(async () => (await sql()`select from password_requests`).length === 0);

const tokenIn = (text = "") => /#([\w-]+)/.exec(text)?.[1] ?? "";

const sessionsOf = async (userId: string) =>
  (await sql()`select from sessions where user_id = ${userId}`).length;

describe("a user who forgot their password", () => {
  test("gets a link in their language, sets a new one once, and every session ends", async () => {
    const { viewer } = await contextFor(gateway, { role: "operator" });
    const [id, email] = [viewer?.id ?? "", viewer?.email ?? ""];
    expect(await sessionsOf(id)).toBe(1);
    const links = await visitor("zh");
    await links.askPassword({ email: email.toUpperCase() });
    await untilAnswered();
    const [letter = expect.fail()] = lettersTo(email);
    expect(letter.subject).toBe("重置密码");
    expect(letter.text).toContain("https://gateway.test/set-password#");
    expect(letter.isEncrypted).toBe(true);
    expect(letter.headers.some(({ key }) => key === "list-unsubscribe")).toBe(false);

    const token = tokenIn(letter.text);
    const [row] = await sql()`
      select to_jsonb(l)::text as row, expires_at from user_links l where user_id = ${id}`;
    expect(row?.row).not.toContain(token);
    expect(Number(row?.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect(await links.setPassword({ token, password: NEXT })).toMatchObject({ email });
    expect(await sessionsOf(id)).toBe(0);
    const again = links.setPassword({ token, password: "a third long password" });
    await expect(again).rejects.toMatchObject({ cause: { reason: "linkInvalid" } });
    expect(
      await sql()`
      select action, user_id, actor from audit_entries where target_id = ${id} order by id`,
    ).toEqual([
      { action: "user.ask_password", user_id: null, actor: email },
      { action: "user.set_password", user_id: id, actor: email },
    ]);
  });

  test("keeps the old password and the sessions until the link is used", async () => {
    const { viewer } = await contextFor(gateway, { role: "operator" });
    const links = await visitor();
    await links.askPassword({ email: viewer?.email ?? "" });
    await untilAnswered();
    expect(lettersTo(viewer?.email ?? "")).toHaveLength(1);
    expect(await sessionsOf(viewer?.id ?? "")).toBe(1);
  });

  test("gets at most three e-mails in 15 minutes, however often and by whomever they are asked for", async () => {
    const { email } = await newUser();
    const links = await visitor();
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => links.askPassword({ email })));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    await untilAnswered();
    expect(lettersTo(email).length).toBeLessThanOrEqual(3);
    const other = await visitor();
    await expect(other.askPassword({ email })).rejects.toMatchObject({ cause: { kind: "rateLimited" } });
  });

  test("is sent another link if the mail server refuses for now", async () => {
    const { email } = await newUser();
    server.refuse(451);
    await (await visitor()).askPassword({ email });
    await until(async () => {
      const [row] =
        await sql()`select due_at > now() as "isLater" from password_requests where email = ${email}`;
      return row?.isLater === true;
    });
    server.refuse(null);
    await sql()`update password_requests set due_at = now() where email = ${email}`;
    await until(() => lettersTo(email).length === 1);
    await untilAnswered();
  });
});

describe("no e-mail is sent, and the answer is the same,", () => {
  test.each<[string, () => Promise<string>]>([
    ["for an address without a user", async () => `${randomUUID()}@nowhere.test`],
    [
      "for a disabled user",
      async () => {
        const { id, email } = await newUser();
        await setUserStatus(db(), { userId: id, by: null, status: "disabled" });
        return email;
      },
    ],
    [
      "for a user who signs in by a provider alone",
      async () => {
        const { email } = await newUser({ password: null });
        const identity = { issuer: "https://id.test", subject: email, email, sessionId: null };
        await transaction(db(), (tx) => linkIdentity(tx, identity));
        return email;
      },
    ],
  ])("%s", async (_, addressOf) => {
    const email = await addressOf();
    expect(await (await visitor()).askPassword({ email })).toBeUndefined();
    await untilAnswered();
    expect(lettersTo(email)).toEqual([]);
    expect(
      await sql()`select from audit_entries where action = 'user.ask_password' and actor = ${email}`,
    ).toEqual([]);
  });

  test("as for one that has a user", async () => {
    const { email } = await newUser();
    expect(await (await visitor()).askPassword({ email })).toBeUndefined();
    await untilAnswered();
    expect(lettersTo(email)).toHaveLength(1);
  });
});

test("one address asks at most 20 times in 15 minutes, whatever mailboxes it names", async () => {
  const links = await visitor();
  for (let count = 0; count < 20; count++) {
    await links.askPassword({ email: `${randomUUID()}@nowhere.test` });
  }
  const more = links.askPassword({ email: `${randomUUID()}@nowhere.test` });
  await expect(more).rejects.toMatchObject({ cause: { kind: "rateLimited" } });
  await untilAnswered();
});

describe("an invitation", () => {
  test("is mailed by its sender's name and in their language, and so is a reset", async () => {
    const { accountId } = await gateway.customer({ quota: "1" });
    const context = await contextFor(gateway, { role: "owner", accountId });
    const owner = appRouter.createCaller({ ...context, language: "zh" });
    const email = `${randomUUID()}@customer.test`;
    const invited = await owner.people.add({ email, role: "member" });
    expect(invited).toMatchObject({ email, isMailed: true });
    const [invitation = expect.fail()] = lettersTo(email);
    expect(invitation.subject).toBe("邀请你使用 Tollgate");
    expect(invitation.text).toContain(context.viewer?.email);
    expect(invitation.text).toContain(invited.url);
    await (await visitor()).setPassword({ token: tokenIn(invitation.text), password: PASSWORD });

    const reset = await owner.people.resetPassword({ userId: invited.id });
    expect(reset.isMailed).toBe(true);
    expect(lettersTo(email).map(({ subject }) => subject)).toEqual(["邀请你使用 Tollgate", "设置新密码"]);
  });

  test("is mailed three times to a mailbox, which may be a stranger's, and then only in the answer", async () => {
    const { accountId } = await gateway.customer({ quota: "1" });
    const owner = await callerFor(gateway, { role: "owner", accountId });
    const email = `${randomUUID()}@stranger.test`;
    const { id } = await owner.people.add({ email, role: "member" });
    const mailed = [];
    for (let count = 0; count < 3; count++) {
      mailed.push((await owner.people.resetPassword({ userId: id })).isMailed);
    }
    expect(mailed).toEqual([true, true, false]);
    expect(lettersTo(email)).toHaveLength(3);
  });

  test("leads to our own address, whatever host the sender's request names", async () => {
    const own = await startGateway({ env: { SMTP_URL: server.url, MAIL_FROM: "alerts@gateway.test" } });
    const { accountId } = await own.customer({ quota: "1" });
    const context = await contextFor(own, { role: "owner", accountId });
    const owner = appRouter.createCaller({ ...context, origin: "https://elsewhere.test" });
    const email = `${randomUUID()}@stranger.test`;
    expect(await owner.people.add({ email, role: "member" })).toMatchObject({ isMailed: true });
    const [letter = expect.fail()] = lettersTo(email);
    expect(tokenIn(letter.text)).not.toBe("");
    expect(`${letter.text}${letter.html}`).not.toContain("elsewhere.test");
    await own.close();
  });

  test("is neither mailed nor issued for people whom files name, by a dry run or by an apply", async () => {
    const email = `${randomUUID()}@files.test`;
    const file = join(temporaryDirectory(), "people.yaml");
    await writeFile(file, `operators: [{ email: ${email}, role: viewer }]`);
    const mail = { SMTP_URL: server.url, MAIL_FROM: "alerts@gateway.test" };
    const commands = commandsOn(() => gateway.databaseUrl, mail);
    for (const flags of [["--dry-run"], []]) {
      const { out } = await commands.run("apply", "-f", file, ...flags);
      expect(out).toMatch(/1 (to create|created)/);
    }
    expect(lettersTo(email)).toEqual([]);
    expect(
      await sql()`select from user_links join users on users.id = user_id where email = ${email}`,
    ).toEqual([]);
  });

  test("of an account's first user is mailed too, and its link is in the answer if the mail server refuses", async () => {
    const operator = await callerFor(gateway, { role: "operator" });
    const first = `${randomUUID()}@customer.test`;
    const { invitation } = await operator.accounts.create({ name: randomUUID(), quota: "1", email: first });
    expect(invitation?.isMailed).toBe(true);
    expect(lettersTo(first)).toHaveLength(1);
    server.refuse(451);
    const second = `${randomUUID()}@customer.test`;
    const failed = await operator.accounts.create({ name: randomUUID(), quota: "1", email: second });
    server.refuse(null);
    expect(failed.invitation?.isMailed).toBe(false);
    const token = tokenIn(failed.invitation?.url);
    expect(await (await visitor()).setPassword({ token, password: NEXT })).toMatchObject({ email: second });
  });
});
