import type { CredentialsConfig } from "next-auth/providers/credentials";
import pino from "pino";
import { expect, test } from "vitest";
import { findSessionUser, noteSeen, signIn } from "@/server/access";
import { listChanges } from "@/server/audit";
import { authOptions } from "@/server/console/auth";
import { appRouter } from "@/server/console/root";
import { sqlOf } from "@/server/db/handles";
import { contextFor, PASSWORD, type Seat } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { codeAt } from "@/tests/support/user-room";

const gateway = perFile(sharedGateway);

async function signedInUser(seat?: Seat) {
  const { accountId } = await gateway.customer();
  const context = await contextFor(gateway, seat ?? { role: "owner", accountId });
  const { viewer } = context;
  if (!viewer) {
    throw new Error("the seat has no user");
  }
  return { viewer, caller: appRouter.createCaller(context).security };
}

type SignedInUser = Awaited<ReturnType<typeof signedInUser>>;

const isOpen = async ({ viewer }: SignedInUser) =>
  (await findSessionUser(gateway.runtime.db, viewer.sessionId)) !== null;

async function enter({ viewer: { email } }: SignedInUser, password: string, code = "") {
  const { db, identity } = gateway.runtime;
  return (await signIn(db, identity, { email, password, code, address: "198.51.100.1" })).outcome;
}

const actionsOf = async ({ viewer }: SignedInUser) =>
  (await listChanges(gateway.runtime.db, { targetId: viewer.id }, { limit: 20 })).rows;

/** A user with a second factor whose current code is used up. */
async function userWithSecondFactor() {
  const person = await signedInUser();
  const { secret } = await person.caller.beginTotp({ proof: { password: PASSWORD } });
  const { codes } = await person.caller.enableTotp({ code: codeAt(secret) });
  return { ...person, secret, codes };
}

test("a refused sign-in leaves a log line with its outcome and address, without e-mail and password", async () => {
  const lines: string[] = [];
  const log = pino({ level: "info", base: undefined }, { write: (line) => void lines.push(line) });
  const [provider] = authOptions({ ...gateway.runtime, log }).providers;
  const submit = async (form: Record<string, string>) =>
    await (provider as CredentialsConfig).options.authorize(form, {
      headers: { "x-forwarded-for": "198.51.100.7" },
    });
  const person = await userWithSecondFactor();
  const { email } = person.viewer;
  const password = "not the password";
  expect(await submit({ email, password })).toBeNull();
  await expect(submit({ email, password: PASSWORD, code: "000000" })).rejects.toThrow("code_wrong");
  await expect(submit({ email, password: PASSWORD })).rejects.toThrow("code_required");
  expect(await submit({ email, password: PASSWORD, code: person.codes[0] ?? "" })).toMatchObject({ email });
  expect(await submit({ email: "", password })).toBeNull();
  for (const _ of Array.from({ length: 8 })) {
    expect(await submit({ email, password })).toBeNull();
  }
  await expect(submit({ email, password })).rejects.toThrow("throttled");
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries.every(({ address }) => address === "198.51.100.7")).toBe(true);
  expect(entries.map(({ outcome }) => outcome)).toEqual([
    "refused",
    "code_wrong",
    "malformed",
    ...Array.from({ length: 8 }, () => "refused"),
    "throttled",
  ]);
  for (const secret of [email, password, PASSWORD]) {
    expect(lines.join("")).not.toContain(secret);
  }
});

test("a user sees their sessions by device and network and can end each of them, but none of another user", async () => {
  const { db } = gateway.runtime;
  const person = await signedInUser();
  const { viewer, caller } = person;
  await enter(person, PASSWORD);
  const [other] = (await caller.sessions()).filter(({ isCurrent }) => !isCurrent);
  const sessionId = other?.id ?? "";
  await noteSeen(db, {
    sessionId,
    browser: "Safari",
    system: "iOS",
    address: "203.0.113.77",
    userId: viewer.id,
    language: "zh",
  });
  expect(await caller.sessions()).toMatchObject([
    { id: sessionId, isCurrent: false, browser: "Safari", system: "iOS", network: "203.0.113.0/24" },
    { id: viewer.sessionId, isCurrent: true, browser: null, network: null, lastSeenAt: null },
  ]);

  const stranger = await signedInUser();
  const unknown = { cause: { reason: "sessionUnknown" } };
  await expect(stranger.caller.endSession({ sessionId })).rejects.toMatchObject(unknown);
  expect((await caller.sessions()).length).toBe(2);
  await caller.endSession({ sessionId });
  expect((await caller.sessions()).map(({ id }) => id)).toEqual([viewer.sessionId]);
  expect(await isOpen(person)).toBe(true);
  await expect(caller.endSession({ sessionId })).rejects.toMatchObject(unknown);
  expect((await actionsOf(person)).map(({ action }) => action)).toEqual(["user.end_session"]);
});

test("no procedure removes a user's own second factor without a proof", async () => {
  const context = await contextFor(gateway, { role: "operator" });
  const userId = context.viewer?.id ?? "";
  await sqlOf(
    gateway.runtime.db,
  )`update users set totp_enabled_at = now(), totp_secret = 'x' where id = ${userId}`;
  const { users } = appRouter.createCaller(context);
  await expect(users.resetTotp({ userId })).rejects.toMatchObject({ cause: { reason: "userIsYou" } });
});
