import { afterAll, beforeAll, expect, test } from "vitest";
import { actions, type ChangeEntry, listChanges } from "@/server/audit";
import type { AccountId } from "@/server/base/ids";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { startVideoGateway, turbo, type VideoGateway } from "@/tests/support/video-client";
import { madeUp } from "../support/made-up";

/** Whatever is named like this is one subject; each door has its own, made by itself. */
type Subject = {
  name: string;
  keyId: string;
  taskId: string;
  accountId: AccountId;
  userId: string;
  channelId: string;
};
type Caller = Awaited<ReturnType<typeof callerFor>>;

let gateway: VideoGateway;
let operator: Caller;
let owner: Caller;
const byConsole: Subject = subject("console");
const byCommand: Subject = subject("command");

function subject(door: string): Subject {
  return {
    name: `doors-of-${door}`,
    keyId: "",
    taskId: "",
    accountId: madeUp(""),
    userId: "",
    channelId: "",
  };
}

beforeAll(async () => {
  gateway = await startVideoGateway();
  operator = await callerFor(gateway, { role: "operator" });
});
afterAll(() => gateway.close());

const commands = commandsOn(() => gateway.databaseUrl, { VIDEO_POLL_SECONDS: "1" });

type Door = {
  /** As a browser asks. */
  console: (of: Subject) => Promise<unknown>;
  /** As one types it. */
  command: (of: Subject) => string;
  /** What the next steps need of it. */
  learn?: (of: Subject, answer: { id: string }) => void;
};

const endpoint = "https://doors.test/v1";

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
  },
  "account.set_limits": {
    console: ({ accountId }) =>
      operator.accounts.setLimits({ accountId, requestsPerMinute: 9, maxConcurrent: null }),
    command: ({ name }) => `account set-limits --account ${name} --rpm 9 --max-concurrent none`,
  },
  "account.set_quota": {
    console: ({ accountId }) => operator.accounts.setQuota({ accountId, quota: "20.5", reason: "contract" }),
    command: ({ name }) => `account set-quota --account ${name} --amount 20.5 --reason contract`,
  },
  "account.top_up": {
    console: ({ accountId }) => operator.accounts.topUp({ accountId, amount: "3", reason: "gift" }),
    command: ({ name }) => `account topup --account ${name} --amount 3 --reason gift`,
  },
  "account.disable": {
    console: ({ accountId }) => operator.accounts.setStatus({ accountId, status: "disabled" }),
    command: ({ name }) => `account disable --account ${name}`,
  },
  "account.enable": {
    console: ({ accountId }) => operator.accounts.setStatus({ accountId, status: "active" }),
    command: ({ name }) => `account enable --account ${name}`,
  },
  "user.create": {
    console: ({ accountId, name }) => operator.users.add({ accountId, email: `second@${name}.test` }),
    command: ({ name }) => `user create --account ${name} --email second@${name}.test`,
  },
  "user.invite": {
    console: ({ userId }) => operator.users.resetPassword({ userId }),
    command: ({ name }) => `user reset-password --email second@${name}.test`,
  },
  "user.disable": {
    console: ({ userId }) => operator.users.setStatus({ userId, status: "disabled" }),
    command: ({ name }) => `user disable --email second@${name}.test`,
  },
  "user.enable": {
    console: ({ userId }) => operator.users.setStatus({ userId, status: "active" }),
    command: ({ name }) => `user enable --email second@${name}.test`,
  },
  "user.remove": {
    console: ({ userId }) => operator.users.remove({ userId }),
    command: ({ name }) => `user remove --email second@${name}.test`,
  },
  "key.create": {
    console: () =>
      owner.keys.create({
        name: "first",
        allowedIps: ["203.0.113.7"],
        models: ["gpt"],
        monthlyCap: "2.5",
        requestsPerMinute: 5,
        expiresAt: "2099-01-31T00:00:00.000Z",
      }),
    command: ({ name }) =>
      `key create --account ${name} --name first --allow-ip 203.0.113.7 --model gpt --cap 2.5 --rpm 5 ` +
      "--expires 2099-01-31T00:00:00Z",
    learn: (of, { id }) => {
      of.keyId = id;
    },
  },
  "key.update": {
    console: ({ keyId }) => owner.keys.update({ keyId, requestsPerMinute: null, maxConcurrent: 2 }),
    command: ({ keyId }) => `key set-limits --key ${keyId} --rpm none --max-concurrent 2`,
  },
  "key.disable": {
    console: ({ keyId }) => owner.keys.setStatus({ keyId, status: "disabled" }),
    command: ({ keyId }) => `key disable --key ${keyId}`,
  },
  "key.enable": {
    console: ({ keyId, accountId }) =>
      operator.accounts.keys.setStatus({ accountId, keyId, status: "active" }),
    command: ({ keyId, name }) => `key enable --key ${keyId} --account ${name}`,
  },
  "key.delete": {
    console: ({ keyId }) => owner.keys.delete({ keyId }),
    command: ({ keyId }) => `key delete --key ${keyId}`,
  },
  "model.save": {
    console: ({ name }) =>
      operator.prices.create({ id: name, kind: "chat", enabled: true, inputPrice: "1", outputPrice: "2.5" }),
    command: ({ name }) => `model set --id ${name} --kind chat --input 1 --output 2.5`,
  },
  "channel.create": {
    console: ({ name }) =>
      operator.channels.create({
        name,
        dialect: "openai",
        vendor: null,
        baseUrl: endpoint,
        secrets: ["sk-doors-7f3a"],
        models: [{ modelId: name, upstreamName: "theirs", overrides: {} }],
        priority: 3,
        weight: 2,
        maxTasks: null,
        timeoutSeconds: null,
        idleTimeoutSeconds: null,
      }),
    command: ({ name }) =>
      `channel add --name ${name} --dialect openai --base-url ${endpoint} --secret sk-doors-7f3a ` +
      `--model ${name}=theirs --priority 3 --weight 2`,
    learn: (of, { id }) => {
      of.channelId = id;
    },
  },
  "channel.update": {
    console: ({ channelId }) => operator.channels.update({ channelId, timeoutSeconds: 12 }),
    command: ({ name }) => `channel edit --channel ${name} --timeout 12`,
  },
  "channel.disable": {
    console: ({ channelId }) => operator.channels.setEnabled({ channelId, isEnabled: false }),
    command: ({ name }) => `channel disable --channel ${name}`,
  },
  "channel.enable": {
    console: ({ channelId }) => operator.channels.setEnabled({ channelId, isEnabled: true }),
    command: ({ channelId }) => `channel enable --channel ${channelId}`,
  },
  "channel.remove": {
    console: ({ channelId }) => operator.channels.remove({ channelId }),
    command: ({ name }) => `channel remove --channel ${name}`,
  },
  "task.cancel": {
    console: ({ taskId }) => operator.allVideos.cancel({ taskId }),
    command: ({ taskId }) => `task cancel --task ${taskId}`,
  },
};

/** Changes that one of the two doors has not, and why. */
const oneDoor: Record<string, string> = {
  "account.rename": "no command yet",
  "user.set_role": "no command yet",
  "user.reset_totp": "no command: doctor and docs lead to reset-password",
  "user.reset_password": "as user.invite, of somebody who has a password",
  "user.set_password": "by a link",
  "user.change_password": "one's own, and a command is nobody's",
  "user.enable_totp": "one's own, and a command is nobody's",
  "user.disable_totp": "one's own, and a command is nobody's",
  "user.renew_recovery_codes": "one's own, and a command is nobody's",
  "user.sign_out_everywhere": "no command yet",
  "secrets.rotate": "a command's alone: it needs the environment",
  "secrets.accept": "a command's alone: it needs the environment",
};

/** The entry without what differs between any two: who, when, and the names and identifiers of the two subjects. */
function plain(
  { action, accountId, targetId, targetName, before, after }: ChangeEntry,
  of: Subject,
): unknown {
  const text = JSON.stringify({ action, accountId, targetId, targetName, before, after }, (member, value) =>
    ["createdAt", "lastFour"].includes(member) && value !== undefined ? `<${member}>` : value,
  );
  const known = Object.entries(of).filter(([, value]) => value !== "");
  return JSON.parse(
    known
      .reduce((told, [member, value]) => told.replaceAll(value, `<${member}>`), text)
      .replaceAll(/"usr_\w+"/g, '"<user>"'),
  );
}

async function newestEntry(): Promise<ChangeEntry | undefined> {
  return (await listChanges(gateway.runtime.db, {}, { limit: 1 })).rows[0];
}

const idOf = async (email: string) => {
  const [user] = await sqlOf(gateway.runtime.db)<
    { id: string }[]
  >`select id from users where email = ${email}`;
  return user?.id ?? "";
};

/** What a step stands on that is nobody's change: somebody's session, a task under way. */
async function prepare(action: string, of: Subject): Promise<void> {
  if (action.startsWith("user.")) {
    of.userId = await idOf(`second@${of.name}.test`);
  }
  if (action === "key.create" && of === byConsole) {
    owner = await callerFor(gateway, { role: "owner", accountId: of.accountId });
  }
  if (action === "task.cancel") {
    const { secret, accountId } = await gateway.customer();
    Object.assign(of, {
      accountId,
      taskId: await gateway.begin(secret, { ...turbo, prompt: "a cat [stall]" }),
    });
  }
}

test.each(Object.entries(steps))("%s leaves the same entry by either door", async (action, door) => {
  await prepare(action, byConsole);
  const shown = (await door.console(byConsole)) as { id: string };
  door.learn?.(byConsole, shown);
  const told = await newestEntry();
  await prepare(action, byCommand);
  const answer = await commands.json<{ id: string }>(...door.command(byCommand).split(" "));
  door.learn?.(byCommand, answer);
  const typed = await newestEntry();
  expect([told?.action, typed?.action]).toEqual([action, action]);
  expect(told && plain(told, byConsole)).toEqual(typed && plain(typed, byCommand));
  expect([told?.actor, typed?.actor]).toEqual([expect.stringContaining("@"), "command"]);
});

test("every action is told by both doors, or it is said why not", () => {
  expect([...Object.keys(steps), ...Object.keys(oneDoor)].sort()).toEqual([...actions].sort());
});
