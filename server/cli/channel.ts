import {
  addChannel,
  type Channel,
  createChannels,
  createVault,
  getChannel,
  listChannels,
  removeChannel,
  setChannelEnabled,
} from "@/server/channels";
import { createLog } from "@/server/log";
import { Refusal } from "@/server/refusal";
import { createDispatcher, createUpstreams, type Dialect, dialects } from "@/server/upstream";
import { type Command, type Context, many, need, UsageError, type Values, wholeNumber } from "./command";

const view = (channel: Channel) => ({
  id: channel.id,
  name: channel.name,
  dialect: channel.dialect,
  base_url: channel.baseUrl,
  credentials: channel.credentialCount,
  priority: channel.priority,
  weight: channel.weight,
  enabled: channel.isEnabled,
  models: channel.models,
});

function dialectOf(value: string): Dialect {
  const dialect = dialects.find((known) => known === value);
  if (!dialect) {
    throw new UsageError(`--dialect must be one of ${dialects.join(", ")}`);
  }
  return dialect;
}

/** `PUBLIC` or `PUBLIC=UPSTREAM`. */
function modelMap(entries: string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [publicName = "", ...upstream] = entry.split("=");
      if (publicName === "") {
        throw new UsageError(`--model ${entry}: the public name is missing`);
      }
      return [publicName, upstream.join("=") || publicName];
    }),
  );
}

const add: Command = {
  summary: "Add an upstream; --secret may be repeated for several credentials",
  flags: {
    name: { type: "string", required: true },
    dialect: { type: "string", required: true },
    "base-url": { type: "string", required: true },
    secret: { type: "string", multiple: true, required: true },
    model: { type: "string", multiple: true, required: true },
    priority: { type: "string" },
    weight: { type: "string" },
  },
  run: async ({ db, secrets }, values) => {
    const channel = {
      name: need(values, "name"),
      dialect: dialectOf(need(values, "dialect")),
      baseUrl: need(values, "base-url"),
      secrets: many(values, "secret"),
      models: modelMap(many(values, "model")),
      priority: wholeNumber(values, "priority", { min: 0, max: 1_000 }),
      weight: wholeNumber(values, "weight", { min: 0, max: 1_000 }),
    };
    return view(await addChannel(db.orm, channel, createVault(secrets.encryptionKey)));
  },
};

async function test({ config, db, secrets }: Context, values: Values) {
  const dispatcher = createDispatcher();
  try {
    const channels = createChannels({
      db,
      vault: createVault(secrets.encryptionKey),
      upstreams: createUpstreams(dispatcher),
      timeoutMs: config.UPSTREAM_TIMEOUT_SECONDS * 1000,
      log: createLog("silent"),
    });
    const channel = await getChannel(db.orm, need(values, "channel"));
    const result = await channels.test(channel);
    if (!result.ok) {
      throw new Refusal(`${channel.name}: ${result.status ?? "no answer"} ${result.message}`);
    }
    return { channel: channel.name, ok: true, status: result.status, latency_ms: result.latencyMs };
  } finally {
    await dispatcher.destroy();
  }
}

const onChannel = (
  summary: string,
  act: (context: Context, nameOrId: string) => Promise<Channel>,
): Command => ({
  summary,
  flags: { channel: { type: "string", required: true } },
  run: async (context, values) => view(await act(context, need(values, "channel"))),
});

export const channelCommands: Record<string, Command> = {
  add,
  list: {
    summary: "List channels, or show one",
    flags: { channel: { type: "string" } },
    run: async ({ db }, values) =>
      values.channel === undefined
        ? (await listChannels(db.orm)).map(view)
        : [view(await getChannel(db.orm, need(values, "channel")))],
  },
  test: {
    summary: "Send one small call to the first model of a channel",
    flags: { channel: { type: "string", required: true } },
    run: test,
  },
  enable: onChannel("Use a channel again", ({ db }, channel) =>
    setChannelEnabled(db.orm, { channel, isEnabled: true }),
  ),
  disable: onChannel("Send nothing to a channel", ({ db }, channel) =>
    setChannelEnabled(db.orm, { channel, isEnabled: false }),
  ),
  remove: onChannel("Remove a channel", ({ db }, channel) => removeChannel(db.orm, channel)),
};
