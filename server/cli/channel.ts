import type { Action } from "@/server/audit";
import { listModels } from "@/server/catalog";
import {
  addChannel,
  type Channel,
  createChannels,
  getChannel,
  listChannels,
  lockChannel,
  removeChannel,
  setChannelEnabled,
  type TestResult,
  updateChannel,
  vendors,
} from "@/server/channels";
import type { Queryable } from "@/server/db";
import { createLog } from "@/server/log";
import { Refusal } from "@/server/refusal";
import { vaultOf } from "@/server/secret-checks";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import { changing } from "./changing";
import { capabilityOverrides, endpoint, modelMap } from "./channel-flags";
import { askChannelStates } from "./channel-states";
import { type Command, type Context, many, need, text, type Values, wholeNumber } from "./command";

const view = (channel: Channel) => ({
  id: channel.id,
  name: channel.name,
  dialect: channel.dialect,
  vendor: channel.vendor,
  base_url: channel.baseUrl,
  credentials: channel.credentialCount,
  priority: channel.priority,
  weight: channel.weight,
  max_tasks: channel.maxTasks,
  timeout_seconds: channel.timeoutSeconds,
  idle_timeout_seconds: channel.idleTimeoutSeconds,
  enabled: channel.isEnabled,
  models: channel.models,
});

/** A channel may come before its models; until they come, nobody can call them. */
async function noteOfUnlisted(db: Queryable, { models }: Channel): Promise<{ note?: string }> {
  const listed = new Set((await listModels(db)).map(({ id }) => id));
  const unlisted = Object.keys(models)
    .filter((id) => !listed.has(id))
    .sort();
  return unlisted.length === 0
    ? {}
    : { note: `the catalog has no ${unlisted.join(", ")}: nobody can call it before \`model set\` adds it` };
}

const trafficFlags = {
  priority: { type: "string" },
  weight: { type: "string" },
  "max-tasks": { type: "string" },
  timeout: { type: "string" },
  "idle-timeout": { type: "string" },
} as const;

/** What the flags say; undefined stays as it is. */
const traffic = (values: Values) => ({
  priority: wholeNumber(values, "priority", { min: 0, max: 1_000 }),
  weight: wholeNumber(values, "weight", { min: 0, max: 1_000 }),
  maxTasks: wholeNumber(values, "max-tasks", { min: 1, max: 100_000 }),
  timeoutSeconds: wholeNumber(values, "timeout", { min: 1, max: 3_600 }),
  idleTimeoutSeconds: wholeNumber(values, "idle-timeout", { min: 1, max: 3_600 }),
});

const add: Command = {
  summary:
    "Add an upstream: --vendor (channel vendors lists them), or --dialect and --base-url; --secret may be repeated",
  flags: {
    name: { type: "string", required: true },
    vendor: { type: "string" },
    dialect: { type: "string" },
    "base-url": { type: "string" },
    secret: { type: "string", multiple: true, required: true },
    model: { type: "string", multiple: true, required: true },
    capability: { type: "string", multiple: true },
    ...trafficFlags,
  },
  run: async (context, values) => {
    const { dialect, vendor, baseUrl } = endpoint(values);
    const models = modelMap(many(values, "model"));
    const channel = {
      name: need(values, "name"),
      dialect,
      vendor,
      baseUrl,
      secrets: many(values, "secret"),
      models,
      capabilities: capabilityOverrides(values, { dialect, models }),
      ...traffic(values),
    };
    const vault = vaultOf(context.secrets);
    return await changing(context, "channel.create", async (db) => {
      const added = await addChannel(db, channel, vault);
      const after = view(added);
      return {
        accountId: null,
        target: added,
        after,
        result: { ...after, ...(await noteOfUnlisted(db, added)) },
      };
    });
  },
};

const edit: Command = {
  summary: "Change a channel's name, traffic and timeouts (seconds); what is not named stays",
  flags: { channel: { type: "string", required: true }, name: { type: "string" }, ...trafficFlags },
  run: async (context, values) => {
    const vault = vaultOf(context.secrets);
    return await changing(context, "channel.update", async (db) => {
      const before = await lockChannel(db, need(values, "channel"));
      const change = { channelId: before.id, name: text(values, "name"), ...traffic(values) };
      const after = await updateChannel(db, change, vault);
      return {
        accountId: null,
        target: after,
        before: view(before),
        after: view(after),
        result: view(after),
      };
    });
  },
};

/** What the upstream counted, or what it means that it did not. */
function countsOf({ status, usage, isStream }: TestResult) {
  if (usage) {
    return { usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens } };
  }
  // A channel of videos is asked for nothing that has counts.
  const where = isStream ? "in its stream: streamed calls" : "with its answer: calls";
  return status === null
    ? {}
    : { note: `the upstream sends no token counts ${where} are charged by estimate` };
}

async function test({ config, db, secrets }: Context, values: Values) {
  const dispatcher = createDispatcher();
  try {
    const channels = createChannels({
      db,
      vault: vaultOf(secrets),
      upstreams: createUpstreams(dispatcher),
      timeoutMs: config.UPSTREAM_TIMEOUT_SECONDS * 1000,
      log: createLog("silent"),
    });
    const channel = await getChannel(db.orm, need(values, "channel"));
    const result = await channels.test(channel);
    if (!result.ok) {
      throw new Refusal(`${channel.name}: ${result.status ?? "no answer"} ${result.message}`, null);
    }
    const { status, latencyMs, message } = result;
    const tested = { channel: channel.name, ok: true, status, latency_ms: latencyMs, message };
    return { ...tested, ...countsOf(result) };
  } finally {
    await dispatcher.destroy();
  }
}

type ChannelCommand = {
  action: Action;
  /** Answers the channel as it is then. */
  change: (db: Queryable, nameOrId: string) => Promise<Channel>;
};

const onChannel = (summary: string, { action, change }: ChannelCommand): Command => ({
  summary,
  flags: { channel: { type: "string", required: true } },
  run: async (context, values) =>
    await changing(context, action, async (db) => {
      const before = await lockChannel(db, need(values, "channel"));
      const after = await change(db, before.id);
      return {
        accountId: null,
        target: after,
        before: view(before),
        ...(action !== "channel.remove" && { after: view(after) }),
        result: view(after),
      };
    }),
});

export const channelCommands: Record<string, Command> = {
  add,
  edit,
  list: {
    summary: "List channels, or show one, each with its state as the running server sees it",
    flags: { channel: { type: "string" } },
    run: async ({ db, config }, values) => {
      const seen = await askChannelStates(config);
      const withState = (channel: Channel) => ({ ...view(channel), state: seen.of(channel) });
      if (values.channel === undefined) {
        return (await listChannels(db.orm)).map(withState);
      }
      const channel = await getChannel(db.orm, need(values, "channel"));
      // What is in force for each of its models, too.
      return [{ ...withState(channel), capabilities: channel.capabilities }];
    },
  },
  vendors: {
    summary: "List the vendors that --vendor knows",
    flags: {},
    run: async () =>
      vendors.map(({ id, name, dialect, baseUrl }) => ({ id, name, dialect, base_url: baseUrl })),
  },
  test: {
    summary:
      "Send one small call to the first model of a channel; of one for videos, only check the credential",
    flags: { channel: { type: "string", required: true } },
    run: test,
  },
  enable: onChannel("Use a channel again", {
    action: "channel.enable",
    change: (db, channel) => setChannelEnabled(db, { channel, isEnabled: true }),
  }),
  disable: onChannel("Send nothing to a channel", {
    action: "channel.disable",
    change: (db, channel) => setChannelEnabled(db, { channel, isEnabled: false }),
  }),
  remove: onChannel("Remove a channel", { action: "channel.remove", change: removeChannel }),
};
