import { afterAll, beforeAll, expect, test } from "vitest";
import { createUser } from "@/server/access";
import { actions, type ChangeEntry, listChanges } from "@/server/audit";
import { nanos } from "@/server/base/money";
import { snakeCase } from "@/server/base/snake-case";
import type { Context } from "@/server/console/trpc";
import { sqlOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { type AdminClient, newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { contextFor } from "@/tests/support/console";
import { startVideoGateway, turbo, type VideoGateway } from "@/tests/support/video-client";
import { branded } from "../support/branded";
import { type Step, type Subject, singleDoor, steps } from "../support/door-steps";
import { chargeOf } from "../support/ledger";
import { callProcedure, procedures } from "../support/procedures";
import { STRIPE_KEYS, startStripe } from "../support/stripe";

let gateway: VideoGateway;
let operator: Context;
let owner: Context;
let program: AdminClient;
/** Each door has its own subject and makes it itself. */
const [byConsole, byCommand, byProgram] = ["console", "command", "program"].map(
  (door): Subject => ({ name: `doors-of-${door}` }),
) as [Subject, Subject, Subject];

/** No mail server listens on this port: the tests compare settings, not deliveries. */
const mail = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "alerts@doors.test" };
const stripe = await startStripe();
const payable = { ...STRIPE_KEYS, STRIPE_API_BASE: stripe.url };
const commands = commandsOn(() => gateway.databaseUrl, { VIDEO_POLL_SECONDS: "1", ...mail, ...payable });

beforeAll(async () => {
  gateway = await startVideoGateway({ ...mail, ...payable });
  operator = await contextFor(gateway, { role: "operator" });
  program = await newManager(gateway);
});
afterAll(async () => {
  stripe.close();
  await gateway.close();
});

const sql = () => sqlOf(gateway.runtime.db);

/** The words of a step, with its placeholders replaced by members of the subject. */
const filled = <T>(words: T, subject: Subject): T =>
  JSON.parse(JSON.stringify(words), (_, value) =>
    typeof value === "string"
      ? value.replaceAll(/\{(\w+)\}/g, (all, member) => subject[member] ?? all)
      : value,
  );

/** The input of the declaration: the things that the path names, and the rest of the step's input. */
function inputOf({ admin, with: input }: Step, subject: Subject): Record<string, unknown> {
  const named = [...(admin ?? "").matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  return {
    ...Object.fromEntries(named.map((member) => [member, subject[member]])),
    ...filled(input, subject),
  };
}

const inSnakeCase = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).map(([name, member]) => [snakeCase(name), member]))
      : each,
  );

/** Sends the change as a browser does; an account's own people do not name the account. */
async function askConsole(step: Step, subject: Subject): Promise<unknown> {
  const path = `app.${step.console}`;
  const isOwners = procedures.find((each) => each.path === path)?.seat === "owner";
  const { accountId, ...input } = inputOf(step, subject);
  const isNamed = !isOwners && accountId !== undefined;
  return await callProcedure(isOwners ? owner : operator, path, { ...input, ...(isNamed && { accountId }) });
}

/** Sends the change as a program does: values that the path does not contain are in the body. */
async function askAdmin(step: Step, subject: Subject): Promise<unknown> {
  const body = inSnakeCase(inputOf(step, subject)) as Record<string, unknown>;
  const request = (step.admin ?? "").replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { [name]: value } = body;
    delete body[name];
    return encodeURIComponent(String(value));
  });
  const answer = await program(request, Object.keys(body).length > 0 ? body : undefined);
  expect([200, 201]).toContain(answer.status);
  return answer.body;
}

async function newestEntry(): Promise<ChangeEntry> {
  return (await listChanges(gateway.runtime.db, {}, { limit: 1 })).rows[0] as ChangeEntry;
}

/**
 * The entry without the parts that differ between any two: actor, time, and the names and identifiers of the subjects.
 */
function plain(entry: ChangeEntry, subject: Subject) {
  const { action, accountId, targetId, targetName, before, after } = entry;
  const text = JSON.stringify({ action, accountId, targetId, targetName, before, after }, (member, value) =>
    ["createdAt", "lastFour", "oldLastFour", "oldUntil"].includes(member) && value ? `<${member}>` : value,
  );
  return JSON.parse(
    Object.entries(subject)
      .reduce((json, [member, value]) => json.replaceAll(value, `<${member}>`), text)
      .replaceAll(/"(usr|key|pay)_\w+"/g, '"<$1>"'),
  );
}

/** A charge of an account that is new. */
async function newCharge(): Promise<{ payerId: AccountId; requestId: string }> {
  const { accountId } = await gateway.customer();
  const requestId = newId("req");
  const { billing } = gateway.runtime;
  const call = { requestId, accountId, keyId: branded<never>("key_of_refunds"), keyCap: null };
  await billing.capture(
    await billing.hold({ ...call, amount: nanos(5_000_000_000n) }),
    chargeOf(2_000_000_000n),
  );
  return { payerId: accountId, requestId };
}

/** A new user who runs the gateway. */
const newUser = (email: string) => createUser(gateway.runtime.db, { accountId: null, email, password: null });

const idOf = async (email: string) =>
  String((await sql()`select id from users where email = ${email}`)[0]?.id);

/** Makes the things that a step needs and that no recorded change makes: a user's session, a task under way. */
const prepare: Record<string, (subject: Subject) => Promise<object | unknown>> = {
  "user.set_role": async ({ name }) => ({ userId: (await newUser(`operator@${name}.test`)).id }),
  "user.erase": async ({ name }) => ({ userId: (await newUser(`third@${name}.test`)).id }),
  "user.invite": async ({ name }) => ({ userId: await idOf(`second@${name}.test`) }),
  "cost.import": ({ channelId }) =>
    sql()`update channels set vendor = 'dashscope' where id = ${channelId ?? ""}`,
  "price_group.remove": ({ accountId }) =>
    callProcedure(operator, "app.accounts.setPriceGroup", { accountId, priceGroupId: null }),
  "user.reset_totp": ({ userId }) =>
    sql()`update users set totp_enabled_at = now() where id = ${userId ?? ""}`,
  "user.unlink_identity": ({ userId, name }) => sql()`
    insert into user_identities (user_id, issuer, subject)
    values (${userId ?? ""}, 'https://login.example', ${name})`,
  "account.erase": async () => {
    const { accountId } = await gateway.customer();
    await sql()`update accounts set status = 'disabled' where id = ${accountId}`;
    return { accountId };
  },
  "key.create": async ({ accountId }) => {
    owner = await contextFor(gateway, { role: "owner", accountId: branded(byConsole.accountId ?? "") });
    return { accountId };
  },
  "refund.create": newCharge,
  "task.cancel": async () => {
    const { secret, accountId } = await gateway.customer();
    return { accountId, taskId: await gateway.begin(secret, { ...turbo, prompt: "a cat [stall]" }) };
  },
};

/** Secrets in the answers. */
const secrets = ["sk-doors-7f3a"];

/** Remembers the new identifiers, which the next steps need, and the secrets, which no log may contain. */
function learn({ makes }: Step, subject: Subject, answer: unknown): void {
  const { id, codes } = (answer ?? {}) as { id: string; codes?: string[] };
  Object.assign(subject, makes && { [makes]: id }, codes && { code: codes[0] });
  JSON.stringify(answer, (member, value) => {
    if (["secret", "codes", "link"].includes(member)) {
      secrets.push(...[value].flat().flatMap((text) => (text ? (String(text).split("#").at(-1) ?? []) : [])));
    }
    return value;
  });
}

/** Makes the change by one door and returns its entries in the log. */
async function take(
  action: string,
  subject: Subject,
  ask: (step: Step, subject: Subject) => Promise<unknown>,
) {
  const step = steps[action] as Step;
  const prepared = await prepare[action]?.(subject);
  Object.assign(subject, Array.isArray(prepared) ? {} : prepared);
  learn(step, subject, await ask(step, subject));
  return await newestEntry();
}

test.each(Object.keys(steps))("%s leaves the same audit entry through every door", async (action) => {
  const consoleEntry = await take(action, byConsole, askConsole);
  const typed = await take(action, byCommand, ({ command }, subject) =>
    commands.json(...filled(command, subject).split(" ")),
  );
  expect([consoleEntry.action, typed.action]).toEqual([action, action]);
  expect(plain(consoleEntry, byConsole)).toEqual(plain(typed, byCommand));
  expect([consoleEntry.actor, typed.actor]).toEqual([expect.stringContaining("@"), "command"]);
  if (steps[action]?.admin) {
    const programEntry = await take(action, byProgram, askAdmin);
    expect(plain(programEntry, byProgram)).toEqual(plain(typed, byCommand));
    expect(programEntry.actor).toMatch(/^provisioner \(mgk_/);
  }
});

test("programs can do what people can, except create and revoke management keys", () => {
  const without = Object.entries(steps).filter(([, { admin }]) => admin === null);
  expect(without.map(([action]) => action)).toEqual(["management_key.create", "management_key.revoke"]);
});

test("every action goes through all doors, or a reason says why not", () => {
  expect([...Object.keys(steps), ...Object.keys(singleDoor)].sort()).toEqual([...actions].sort());
});

test("no audit entry has a secret in it", async () => {
  const stored = JSON.stringify(await sql()`select before, after from audit_entries`);
  expect(secrets.length).toBeGreaterThan(5);
  expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
});
