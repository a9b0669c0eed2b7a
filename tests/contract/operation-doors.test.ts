import { afterAll, beforeAll, expect, test } from "vitest";
import { createUser } from "@/server/access";
import { actions, type ChangeEntry, listChanges } from "@/server/audit";
import { sqlOf } from "@/server/db/handles";
import { type AdminClient, newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { startVideoGateway, turbo, type VideoGateway } from "@/tests/support/video-client";
import { alertSteps } from "../support/alert-doors";
import { channelSteps } from "../support/channel-doors";
import { type Caller, codeSteps, type Door, type Made } from "../support/code-doors";
import { costSteps } from "../support/cost-doors";
import { groupSteps } from "../support/group-doors";
import { madeUp } from "../support/made-up";
import { oneDoor } from "../support/one-door";
import { priceSteps } from "../support/price-doors";
import { refundSteps, someCharge } from "../support/refund-doors";
import { STRIPE_KEYS, startStripe } from "../support/stripe";
import { plain, type Subject, subject } from "../support/told-change";
import { webhookSteps } from "../support/webhook-doors";

let gateway: VideoGateway;
let operator: Caller;
let owner: Caller;
let program: AdminClient;
const byConsole: Subject = subject("console");
const byCommand: Subject = subject("command");
const byProgram: Subject = subject("program");

const stripe = await startStripe();
const payable = { ...STRIPE_KEYS, STRIPE_API_BASE: stripe.url };

beforeAll(async () => {
  gateway = await startVideoGateway({ ...mail, ...payable });
  operator = await callerFor(gateway, { role: "operator" });
  program = await newManager(gateway);
});
afterAll(async () => {
  stripe.close();
  await gateway.close();
});

/** Nobody is there: what is chosen counts, and not what arrives. */
const mail = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "alerts@doors.test" };
const commands = commandsOn(() => gateway.databaseUrl, { VIDEO_POLL_SECONDS: "1", ...mail, ...payable });

const chat = { kind: "chat", routing: "affinity" } as const;

/** One history, in order, as each door can tell it. */
const steps: Record<string, Door> = {
  "account.create": {
    console: ({ name }) =>
      operator.accounts.create({ name, quota: "10", email: `first@${name}.test`, maxConcurrent: 4 }),
    command: ({ name }) =>
      `account create --name ${name} --quota 10 --email first@${name}.test --max-concurrent 4`,
    learn: (of, { id }) => {
      of.accountId = madeUp(id);
    },
    admin: ({ name }) => [
      "POST /accounts",
      { name, quota: "10", email: `first@${name}.test`, max_concurrent: 4 },
    ],
  },
  "account.set_limits": {
    console: ({ accountId }) =>
      operator.accounts.setLimits({ accountId, requestsPerMinute: 9, maxConcurrent: null }),
    command: ({ name }) => `account set-limits --account ${name} --rpm 9 --max-concurrent none`,
    admin: ({ accountId }) => [
      `PATCH /accounts/${accountId}`,
      { requests_per_minute: 9, max_concurrent: null },
    ],
  },
  "account.set_stores_responses": {
    console: ({ accountId }) => operator.accounts.setStoresResponses({ accountId, storesResponses: false }),
    command: ({ name }) => `account keep-responses --account ${name} --off`,
    admin: ({ accountId }) => [`PATCH /accounts/${accountId}`, { stores_responses: false }],
  },
  "account.set_carries_topups": {
    console: ({ accountId }) => operator.accounts.setCarriesTopups({ accountId, carriesTopups: true }),
    command: ({ name }) => `account carry-topups --account ${name}`,
    admin: ({ accountId }) => [`PATCH /accounts/${accountId}`, { carries_topups: true }],
  },
  "account.set_quota": {
    console: ({ accountId }) => operator.accounts.setQuota({ accountId, quota: "20.5", reason: "contract" }),
    command: ({ name }) => `account set-quota --account ${name} --amount 20.5 --reason contract`,
    admin: ({ accountId }) => [`PATCH /accounts/${accountId}`, { quota: "20.5", reason: "contract" }],
  },
  "account.top_up": {
    console: ({ accountId }) => operator.accounts.topUp({ accountId, amount: "3", reason: "gift" }),
    command: ({ name }) => `account topup --account ${name} --amount 3 --reason gift`,
    admin: ({ accountId }) => [`POST /accounts/${accountId}/top-ups`, { amount: "3", reason: "gift" }],
  },
  "account.disable": {
    console: ({ accountId }) => operator.accounts.setStatus({ accountId, status: "disabled" }),
    command: ({ name }) => `account disable --account ${name}`,
    admin: ({ accountId }) => [`PATCH /accounts/${accountId}`, { status: "disabled" }],
  },
  "account.enable": {
    console: ({ accountId }) => operator.accounts.setStatus({ accountId, status: "active" }),
    command: ({ name }) => `account enable --account ${name}`,
    admin: ({ accountId }) => [`PATCH /accounts/${accountId}`, { status: "active" }],
  },
  "user.create": {
    console: ({ accountId, name }) => operator.users.add({ accountId, email: `second@${name}.test` }),
    command: ({ name }) => `user create --account ${name} --email second@${name}.test`,
    admin: ({ accountId, name }) => ["POST /users", { account_id: accountId, email: `second@${name}.test` }],
  },
  "user.invite": {
    console: ({ userId }) => operator.users.resetPassword({ userId }),
    command: ({ name }) => `user reset-password --email second@${name}.test`,
    admin: ({ userId }) => [`POST /users/${userId}/password-resets`],
  },
  "user.disable": {
    console: ({ userId }) => operator.users.setStatus({ userId, status: "disabled" }),
    command: ({ name }) => `user disable --email second@${name}.test`,
    admin: ({ userId }) => [`PATCH /users/${userId}`, { status: "disabled" }],
  },
  "user.enable": {
    console: ({ userId }) => operator.users.setStatus({ userId, status: "active" }),
    command: ({ name }) => `user enable --email second@${name}.test`,
    admin: ({ userId }) => [`PATCH /users/${userId}`, { status: "active" }],
  },
  "user.sign_out_everywhere": {
    console: ({ userId }) => operator.users.signOut({ userId }),
    command: ({ name }) => `user sign-out --email second@${name}.test`,
    admin: ({ userId }) => [`DELETE /users/${userId}/sessions`],
  },
  "user.reset_totp": {
    console: ({ userId }) => operator.users.resetTotp({ userId }),
    command: ({ name }) => `user reset-totp --email second@${name}.test`,
    admin: ({ userId }) => [`DELETE /users/${userId}/second-factor`],
  },
  "user.unlink_identity": {
    console: ({ userId }) => operator.users.unlink({ userId }),
    command: ({ name }) => `user unlink --email second@${name}.test`,
    admin: ({ userId }) => [`DELETE /users/${userId}/provider`],
  },
  "user.remove": {
    console: ({ userId }) => operator.users.remove({ userId }),
    command: ({ name }) => `user remove --email second@${name}.test`,
    admin: ({ userId }) => [`DELETE /users/${userId}`],
  },
  "user.erase": {
    console: ({ userId }) => operator.users.erase({ userId }),
    command: ({ name }) => `user erase --email third@${name}.test`,
    admin: ({ userId }) => [`POST /users/${userId}/erasures`],
  },
  "key.create": {
    console: () =>
      owner.keys.create({
        name: "first",
        allowedIps: ["203.0.113.7"],
        models: ["gpt"],
        monthlyCap: "2.5",
        weeklyCap: "1.5",
        dailyCap: "0.5",
        requestsPerMinute: 5,
        expiresAt: "2099-01-31T00:00:00.000Z",
      }),
    command: ({ name }) =>
      `key create --account ${name} --name first --allow-ip 203.0.113.7 --model gpt --cap 2.5 --rpm 5 ` +
      "--weekly-cap 1.5 --daily-cap 0.5 --expires 2099-01-31T00:00:00Z",
    learn: (of, { id }) => {
      of.keyId = id;
    },
    admin: ({ accountId }) => [
      "POST /keys",
      {
        account_id: accountId,
        name: "first",
        allowed_ips: ["203.0.113.7"],
        models: ["gpt"],
        monthly_cap: "2.5",
        weekly_cap: "1.5",
        daily_cap: "0.5",
        requests_per_minute: 5,
        expires_at: "2099-01-31T00:00:00Z",
      },
    ],
  },
  "key.update": {
    console: ({ keyId }) =>
      owner.keys.update({ keyId, requestsPerMinute: null, maxConcurrent: 2, dailyCap: null }),
    command: ({ keyId }) => `key set-limits --key ${keyId} --rpm none --max-concurrent 2 --daily-cap none`,
    admin: ({ keyId }) => [
      `PATCH /keys/${keyId}`,
      { requests_per_minute: null, max_concurrent: 2, daily_cap: null },
    ],
  },
  "key.rotate": {
    console: ({ keyId }) => owner.keys.rotate({ keyId, keepOldSeconds: 3_600 }),
    command: ({ keyId }) => `key rotate --key ${keyId}`,
    admin: ({ keyId }) => [`POST /keys/${keyId}/rotations`, { keep_old_seconds: 3_600 }],
  },
  "key.retire_secret": {
    console: ({ keyId }) => owner.keys.retireSecret({ keyId }),
    command: ({ keyId }) => `key retire-secret --key ${keyId}`,
    admin: ({ keyId }) => [`DELETE /keys/${keyId}/old-secret`],
  },
  "key.duplicate": {
    console: ({ keyId }) => owner.keys.duplicate({ keyId, name: "second" }),
    command: ({ keyId }) => `key duplicate --key ${keyId} --name second`,
    admin: ({ keyId }) => [`POST /keys/${keyId}/duplicates`, { name: "second" }],
  },
  "key.disable": {
    console: ({ keyId }) => owner.keys.setStatus({ keyId, status: "disabled" }),
    command: ({ keyId }) => `key disable --key ${keyId}`,
    admin: ({ keyId }) => [`PATCH /keys/${keyId}`, { status: "disabled" }],
  },
  "key.enable": {
    console: ({ keyId, accountId }) =>
      operator.accounts.keys.setStatus({ accountId, keyId, status: "active" }),
    command: ({ keyId, name }) => `key enable --key ${keyId} --account ${name}`,
    admin: ({ keyId }) => [`PATCH /keys/${keyId}`, { status: "active" }],
  },
  "key.delete": {
    console: ({ keyId }) => owner.keys.delete({ keyId }),
    command: ({ keyId }) => `key delete --key ${keyId}`,
    admin: ({ keyId }) => [`DELETE /keys/${keyId}`],
  },
  "user.set_role": {
    console: ({ userId }) => operator.users.setRole({ userId, role: "viewer" }),
    command: ({ name }) => `user set-role --email operator@${name}.test --role viewer`,
    admin: ({ userId }) => [`PATCH /users/${userId}`, { role: "viewer" }],
  },
  ...alertSteps(() => operator),
  ...codeSteps({ operator: () => operator, owner: () => owner }),
  ...refundSteps(() => operator),
  ...webhookSteps(() => operator),
  "management_key.create": {
    console: ({ accountId }) =>
      operator.installationKeys.create({ accountId, name: "app", isReadOnly: true }),
    command: ({ name }) => `management-key create --account ${name} --name app --read-only`,
    learn: (of, { id }) => {
      of.keyId = id;
    },
  },
  "management_key.revoke": {
    console: ({ keyId }) => owner.managementKeys.revoke({ managementKeyId: keyId }),
    command: ({ keyId }) => `management-key revoke --key ${keyId}`,
  },
  "model.save": {
    console: ({ name }) =>
      operator.prices.create({ ...chat, id: name, isEnabled: true, inputPrice: "1", outputPrice: "2.5" }),
    command: ({ name }) => `model set --id ${name} --kind chat --routing affinity --input 1 --output 2.5`,
    admin: ({ name }) => [
      "POST /models",
      { ...chat, id: name, is_enabled: true, input_price: "1", output_price: "2.5" },
    ],
  },
  "price.import": {
    console: ({ name }) => operator.prices.importList({ vendor: "dashscope", models: [name] }),
    command: ({ name }) => `price import --vendor dashscope --model ${name}`,
    admin: ({ name }) => ["POST /price-lists/dashscope/imports", { models: [name] }],
  },
  ...priceSteps(() => operator),
  ...groupSteps(() => operator),
  ...channelSteps(() => operator),
  ...costSteps(() => operator),
  "channel.remove": {
    console: ({ channelId }) => operator.channels.remove({ channelId }),
    command: ({ name }) => `channel remove --channel ${name}`,
    admin: ({ channelId }) => [`DELETE /channels/${channelId}`],
  },
  "account.rename": {
    console: ({ accountId, name }) => operator.accounts.rename({ accountId, name: `${name}-ltd` }),
    command: ({ name }) => `account rename --account ${name} --name ${name}-ltd`,
    admin: ({ accountId, name }) => [`PATCH /accounts/${accountId}`, { name: `${name}-ltd` }],
  },
  "task.cancel": {
    console: ({ taskId }) => operator.allVideos.cancel({ taskId }),
    command: ({ taskId }) => `task cancel --task ${taskId}`,
    admin: ({ taskId }) => [`POST /tasks/${taskId}/cancellations`],
  },
  "account.erase": {
    console: ({ accountId }) => operator.accounts.erase({ accountId }),
    command: ({ accountId }) => `account erase --account ${accountId}`,
    admin: ({ accountId }) => [`POST /accounts/${accountId}/erasures`],
  },
};

async function newestEntry(): Promise<ChangeEntry | undefined> {
  return (await listChanges(gateway.runtime.db, {}, { limit: 1 })).rows[0];
}

const idOf = async (email: string) => {
  const users = await sqlOf(gateway.runtime.db)`select id from users where email = ${email}`;
  return String(users[0]?.id);
};

/** What a step stands on that is nobody's change: somebody's session, a task under way. */
async function prepare(action: string, of: Subject): Promise<void> {
  if (action === "user.set_role") {
    const email = `operator@${of.name}.test`;
    await createUser(gateway.runtime.db, { accountId: null, email, password: null });
  }
  if (action === "cost.import") {
    await sqlOf(gateway.runtime.db)`update channels set vendor = 'dashscope' where id = ${of.channelId}`;
  }
  if (action.startsWith("user.") || action.startsWith("alert.")) {
    const isOperators = action === "user.set_role" || action.startsWith("alert.");
    of.userId = await idOf(`${isOperators ? "operator" : "second"}@${of.name}.test`);
  }
  if (action === "price_group.remove") {
    await operator.accounts.setPriceGroup({ accountId: of.accountId, priceGroupId: null });
  }
  if (action === "user.reset_totp") {
    await sqlOf(gateway.runtime.db)`update users set totp_enabled_at = now() where id = ${of.userId}`;
  }
  if (action === "user.unlink_identity") {
    await sqlOf(gateway.runtime.db)`
      insert into user_identities (user_id, issuer, subject)
      values (${of.userId}, 'https://login.example', ${of.name})`;
  }
  if (action === "user.erase") {
    const email = `third@${of.name}.test`;
    of.userId = (await createUser(gateway.runtime.db, { accountId: null, email, password: null })).id;
  }
  if (action === "account.erase") {
    of.accountId = (await gateway.customer()).accountId;
    await sqlOf(gateway.runtime.db)`update accounts set status = 'disabled' where id = ${of.accountId}`;
  }
  if (action === "key.create" && of === byConsole) {
    owner = await callerFor(gateway, { role: "owner", accountId: of.accountId });
  }
  if (action === "refund.create") {
    await someCharge(gateway, of);
  }
  if (action === "task.cancel") {
    const { secret, accountId } = await gateway.customer();
    Object.assign(of, {
      accountId,
      taskId: await gateway.begin(secret, { ...turbo, prompt: "a cat [stall]" }),
    });
  }
}

/** What the answers said in confidence. */
const secrets = ["sk-doors-7f3a"];
function keepSecrets(answer: unknown): void {
  JSON.stringify(answer, (member, value) => {
    if (["secret", "codes", "link"].includes(member)) {
      secrets.push(...[value].flat().flatMap((text) => (text ? (String(text).split("#").at(-1) ?? []) : [])));
    }
    return value;
  });
}

test.each(Object.entries(steps))("%s leaves the same entry by every door", async (action, door) => {
  await prepare(action, byConsole);
  const shown = (await door.console(byConsole)) as Made;
  door.learn?.(byConsole, shown);
  keepSecrets(shown);
  const told = await newestEntry();
  await prepare(action, byCommand);
  const answer = await commands.json<Made>(...door.command(byCommand).split(" "));
  door.learn?.(byCommand, answer);
  keepSecrets(answer);
  const typed = await newestEntry();
  expect([told?.action, typed?.action]).toEqual([action, action]);
  expect(told && plain(told, byConsole)).toEqual(typed && plain(typed, byCommand));
  expect([told?.actor, typed?.actor]).toEqual([expect.stringContaining("@"), "command"]);
  if (!door.admin) {
    return;
  }
  await prepare(action, byProgram);
  const { status, body } = await program(...door.admin(byProgram));
  expect([status, body]).toEqual([
    expect.toSatisfy((code) => code === 200 || code === 201),
    expect.anything(),
  ]);
  door.learn?.(byProgram, body as Made);
  keepSecrets(body);
  const asked = await newestEntry();
  expect(asked && plain(asked, byProgram)).toEqual(typed && plain(typed, byCommand));
  expect(asked?.actor).toMatch(/^provisioner \(mgk_/);
});

test("programs can do whatever people can do with things that are not their own", () => {
  const without = Object.entries(steps).filter(([, { admin }]) => admin === undefined);
  // A program that could make keys for programs could not be shut out.
  expect(without.map(([action]) => action)).toEqual(["management_key.create", "management_key.revoke"]);
});

test("every action is told by all doors, or it is said why not", () => {
  expect([...Object.keys(steps), ...Object.keys(oneDoor)].sort()).toEqual([...actions].sort());
});

test("no entry of them all has a secret in it", async () => {
  const stored = JSON.stringify(await sqlOf(gateway.runtime.db)`select before, after from audit_entries`);
  expect(secrets.length).toBeGreaterThan(5);
  expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
});
