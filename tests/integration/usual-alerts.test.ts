/** People who have made no choice are warned by e-mail, and leave with one click. */
import { expect, test } from "vitest";
import { appRouter } from "@/server/console/root";
import { sqlOf } from "@/server/db/handles";
import { getRecipient, type Recipient } from "@/server/notifications";
import { contextFor, type Seat } from "@/tests/support/console";
import { startMailServer } from "@/tests/support/mail-server";
import { notificationRoom } from "@/tests/support/notification-room";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const server = perFile(startMailServer);
const { gateway, ownerOf, watch, watchAtOnce, spend } = notificationRoom(() => ({
  SMTP_URL: server.url,
  MAIL_FROM: "Tollgate <alerts@gateway.test>",
}));

const mailless = notificationRoom(() => ({}));

const lettersTo = (email: string) => server.received.filter(({ recipients }) => recipients.includes(email));

async function newPerson(seat: Seat, there = gateway) {
  const { viewer } = await contextFor(there, seat);
  const accountId = "accountId" in seat ? seat.accountId : null;
  const [userId, email] = [viewer?.id ?? "", viewer?.email ?? ""];
  const alerts = (): Promise<Recipient> => getRecipient(there.runtime.db, { userId, accountId });
  return { userId, email, alerts };
}

const newAccount = async () => (await gateway.customer({ quota: "0.2" })).accountId;

/** A caller without a session. */
const visitor = async () => appRouter.createCaller(await contextFor(gateway, null));

test("owners get alerts of the quota and of anomalies, admins those of channels, and others none, also people of before", async () => {
  const accountId = await newAccount();
  const owner = await newPerson({ role: "owner", accountId });
  const [member, admin, viewer] = [
    await newPerson({ role: "member", accountId }),
    await newPerson({ role: "operator" }),
    await newPerson({ role: "viewer" }),
  ];
  await watchAtOnce();
  expect((await owner.alerts()).events).toEqual(["quota.threshold", "spend.anomaly"]);
  expect((await admin.alerts()).events).toEqual(["channel.failing", "channel.recovered"]);
  for (const other of [member, viewer]) {
    expect(await other.alerts()).toMatchObject({ events: [], language: null });
  }
});

test("a choice stays, also the choice of nothing, and an invited person is not written to", async () => {
  const accountId = await newAccount();
  const [first, second] = [
    await newPerson({ role: "owner", accountId }),
    await newPerson({ role: "owner", accountId }),
  ];
  const owner = await ownerOf(accountId);
  await owner.alerts.set({ userId: first.userId, events: ["video.failed"] });
  await owner.alerts.set({ userId: second.userId, events: [] });
  const invited = await owner.people.add({ email: `${accountId}@customer.test`, role: "owner" });
  await watch();
  expect((await first.alerts()).events).toEqual(["video.failed"]);
  expect((await second.alerts()).events).toEqual([]);
  expect(await getRecipient(gateway.runtime.db, { userId: invited.id, accountId })).toMatchObject({
    language: null,
  });
});

test("nobody is subscribed where no e-mail is sent", async () => {
  const { accountId } = await mailless.gateway.customer({ quota: "1" });
  const owner = await newPerson({ role: "owner", accountId }, mailless.gateway);
  await mailless.watch();
  expect((await owner.alerts()).language).toBeNull();
});

test("an owner who has chosen nothing is warned in the language of their console, and leaves by the e-mail's link without a session", async () => {
  const customer = await gateway.customer({ quota: "0.2" });
  const owner = await newPerson({ role: "owner", accountId: customer.accountId });
  await sqlOf(gateway.runtime.db)`update users set language = 'en' where id = ${owner.userId}`;
  await watch();
  await spend(customer.secret, 4);
  await watch();
  await until(() => lettersTo(owner.email).length > 0);
  const [letter = expect.fail()] = lettersTo(owner.email);
  expect(letter.subject).toContain("of the quota");
  const header = (name: string) => letter.headers.find(({ key }) => key === name)?.value ?? "";
  expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  const oneClick = new URL(header("list-unsubscribe").slice(1, -1));
  expect(oneClick.origin + oneClick.pathname).toBe("https://gateway.test/api/unsubscribe");
  const token = oneClick.searchParams.get("token") ?? "";
  expect(letter.text).toContain(`https://gateway.test/unsubscribe?token=${token}`);

  const caller = await visitor();
  expect(await caller.links.unsubscribe({ token })).toEqual({ email: owner.email });
  expect(await caller.links.unsubscribe({ token })).toEqual({ email: owner.email });
  await watch();
  expect((await owner.alerts()).events).toEqual([]);
  const entries = await sqlOf(gateway.runtime.db)`
    select user_id, address from audit_entries where target_id = ${owner.userId} and action = 'alert.set'`;
  expect(entries).toEqual([
    { user_id: owner.userId, address: "203.0.113.7" },
    { user_id: owner.userId, address: "203.0.113.7" },
  ]);
});

test("guesses of a link are refused, and counted by address", async () => {
  const owner = await newPerson({ role: "owner", accountId: await newAccount() });
  const context = { ...(await contextFor(gateway, null)), address: "198.51.100.9" };
  const caller = appRouter.createCaller(context);
  const guess = () => caller.links.unsubscribe({ token: `${owner.userId}.guess` });
  for (let count = 0; count < 30; count++) {
    await expect(guess()).rejects.toMatchObject({ cause: { reason: "unsubscribeInvalid" } });
  }
  await expect(guess()).rejects.toMatchObject({ cause: { kind: "rateLimited" } });
});
