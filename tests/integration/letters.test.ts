import { beforeEach, describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import type { EventType } from "@/server/domain/enums";
import { commandsOn } from "@/tests/support/command";
import { contextFor } from "@/tests/support/console";
import { startMailServer } from "@/tests/support/mail-server";
import { notificationRoom } from "@/tests/support/notification-room";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const server = perFile(startMailServer);
const { gateway, ownerOf, watch, watchAtOnce, spend, anotherWork, queuedFor } = notificationRoom(() => ({
  SMTP_URL: server.url,
  MAIL_FROM: "Tollgate <alerts@gateway.test>",
}));

beforeEach(() => {
  server.refuse(null);
  server.offerTls(true);
});

async function newSubscriber(events: readonly EventType[], quota = "0.2") {
  const customer = await gateway.customer({ quota });
  const { viewer } = await contextFor(gateway, { role: "owner", accountId: customer.accountId });
  const [userId, email] = [viewer?.id ?? "", viewer?.email ?? ""];
  const owner = await ownerOf(customer.accountId);
  await owner.alerts.set({ userId, events: [...events], language: "en" });
  return { ...customer, owner, userId, email };
}

const lettersTo = (email: string) => server.received.filter(({ recipients }) => recipients.includes(email));

/** Waits for an e-mail, and until the queue marks each as sent: the mail server has it a moment earlier. */
const untilSent = (userId: string) =>
  until(async () => {
    const rows = await queuedFor(userId);
    return rows.length > 0 && rows.every((row) => row.delivered_at !== null);
  });

async function passTime(userId: string) {
  const sql = sqlOf(gateway.runtime.db);
  await sql`update webhook_deliveries set due_at = now() where user_id = ${userId} and due_at is not null`;
  await sql`update mail_recipients set quiet_until = now() where user_id = ${userId}`;
}

describe("a person", () => {
  test("gets one e-mail when a share of the month is used, in their language, with a link to the console", async () => {
    // One video is the whole month: the gateway's own watch can find no smaller share before.
    const { accountId, secret, userId, email, owner } = await newSubscriber(["quota.threshold"], "0.05");
    await owner.alerts.set({ userId, events: ["quota.threshold"], language: "zh" });
    const other = await newSubscriber(["quota.threshold"]);
    await spend(secret, 1);
    await watchAtOnce();
    await untilSent(userId);
    await passTime(userId);
    await watch();
    await gateway.runtime.notifications.mail();
    expect(lettersTo(email)).toHaveLength(1);
    expect(lettersTo(other.email)).toEqual([]);
    const [letter = expect.fail()] = lettersTo(email);
    expect(letter.subject).toContain("的额度已用 100%");
    expect(letter.from).toMatchObject({ name: "Tollgate", address: "alerts@gateway.test" });
    expect(letter.text).toContain("已用 ¥0.05，可用 ¥0.00");
    expect(letter.text).toContain("https://gateway.test/billing");
    expect(letter.html).toContain('href="https://gateway.test/notifications"');
    expect(letter.isEncrypted).toBe(true);
    expect(JSON.stringify(letter)).not.toContain(accountId);
  });

  test("gets one e-mail for all events within five minutes, however many processes send", async () => {
    const { secret, userId, email, owner } = await newSubscriber(["video.completed"]);
    await owner.alerts.test({ userId });
    await untilSent(userId);
    expect(lettersTo(email)[0]?.subject).toBe("Test email");
    await spend(secret, 3);
    await gateway.runtime.notifications.mail();
    expect(lettersTo(email)).toHaveLength(1);
    const other = anotherWork();
    await passTime(userId);
    await Promise.all([other.mail(), gateway.runtime.notifications.mail(), other.mail()]);
    await untilSent(userId);
    expect(lettersTo(email)).toHaveLength(2);
    expect(lettersTo(email)[1]?.subject).toBe("A video is ready (+2 more)");
    await other.close();
  });

  test("cannot be subscribed by another account, nor where no e-mail is sent", async () => {
    const [first, second] = [await newSubscriber([]), await newSubscriber([])];
    const stranger = await ownerOf(second.accountId);
    const { userId } = first;
    await expect(stranger.alerts.set({ userId, events: [] })).rejects.toThrow(/^user .* does not exist$/);
    await expect(stranger.alerts.test({ userId })).rejects.toThrow(/^user .* does not exist$/);
    const without = commandsOn(() => gateway.databaseUrl);
    const { code, err } = await without.run(
      "alert",
      "set",
      "--email",
      first.email,
      "--event",
      "video.failed",
    );
    expect([code, err]).toEqual([1, expect.stringContaining("SMTP_URL is not set")]);
  });
});

describe("an e-mail", () => {
  test("that the server refuses for now is sent again with the same Message-ID", async () => {
    const { userId, email, owner } = await newSubscriber([]);
    server.refuse(451);
    await owner.alerts.test({ userId });
    await until(async () => (await queuedFor(userId))[0]?.answered === 451);
    const [row] = await queuedFor(userId);
    expect(Number(new Date(row?.due_at))).toBeGreaterThan(Date.now());
    expect(lettersTo(email)).toEqual([]);
    server.refuse(null);
    await passTime(userId);
    await until(() => lettersTo(email).length === 1);
    expect(lettersTo(email)[0]?.messageId).toBe(`<${row?.id}@127.0.0.1>`);
  });

  test("that the server refuses for good is given up", async () => {
    const { userId, owner } = await newSubscriber([]);
    server.refuse(550);
    await owner.alerts.test({ userId });
    await until(async () => (await queuedFor(userId))[0]?.answered === 550);
    expect(await queuedFor(userId)).toMatchObject([{ attempts: 1, due_at: null, delivered_at: null }]);
  });

  test("is not sent unencrypted unless the URL allows it, and its record has no password", async () => {
    const { userId, email, owner } = await newSubscriber([]);
    server.offerTls(false);
    await owner.alerts.test({ userId });
    await until(async () => (await queuedFor(userId))[0]?.problem !== null);
    expect(lettersTo(email)).toEqual([]);
    expect(JSON.stringify(await queuedFor(userId))).toMatch(/STARTTLS/i);
    expect(JSON.stringify(await queuedFor(userId))).not.toContain("secret");
    const lax = anotherWork({ SMTP_URL: `${server.url}&requireTLS=false` });
    // The gateway's own attempts fail meanwhile, and may come first.
    await until(async () => {
      await passTime(userId);
      await lax.mail();
      return lettersTo(email).length > 0;
    });
    expect(lettersTo(email)[0]?.isEncrypted).toBe(false);
    await lax.close();
  });
});
