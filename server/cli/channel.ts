import { listModels } from "@/server/catalog";
import { type Channel, getChannelByNameOrId, listChannels, lockChannel, vendors } from "@/server/channels";
import type { Db } from "@/server/db";
import { channelOperations } from "@/server/operations";
import { channelQueries } from "@/server/queries";
import { endpoint, newVendor, traffic, trafficFlags } from "./channel-flags";
import { changedModels, newModels } from "./channel-models";
import { askChannelStates } from "./channel-states";
import { testCommand } from "./channel-test";
import { type Command, type CommandContext, type FlagValues, many, need, text, UsageError } from "./command";
import { changing, operate } from "./operate";
import { shown, shownWhole } from "./render";
import { withRooms } from "./with-rooms";

type ChannelView = ReturnType<typeof channelOperations.view>;

const view = ({ credentialHints, createdAt: _, models, ...channel }: ChannelView) => ({
  ...shown(channel, { isEnabled: "enabled", isMovedOff: "moved_off" }),
  credentials: credentialHints.length,
  models: Object.fromEntries(models.map(({ modelId, upstreamName }) => [modelId, upstreamName])),
});

/** A channel may be added before its models; until they are added, they cannot be called. */
async function noteOfUnlisted(db: Db, { models }: ChannelView): Promise<{ note?: string }> {
  const listed = new Set((await listModels(db)).map(({ id }) => id));
  const unlisted = models.map(({ modelId }) => modelId).filter((id) => !listed.has(id));
  return unlisted.length === 0
    ? {}
    : {
        note: `the catalog has no ${unlisted.sort().join(", ")}: nobody can call it before \`model set\` adds it`,
      };
}

const target = { channel: { type: "string", required: true } } as const;

const add: Command = {
  summary:
    "Add an upstream: --vendor (channel vendors lists them), or --dialect and --base-url; --secret may be repeated, " +
    "and is ACCESS:SECRET where a vendor gives two keys (kling)",
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
  run: changing(async (context, values) => {
    const { dialect, vendor, baseUrl } = endpoint(values);
    const added = await operate(context, channelOperations.create, {
      name: need(values, "name"),
      dialect,
      vendor: vendor ?? null,
      baseUrl,
      secrets: many(values, "secret"),
      models: newModels(values, dialect),
      ...traffic(values),
    });
    return { ...view(added), ...(await noteOfUnlisted(context.db, added)) };
  }),
};

/** The channel that the flags name. Throws Refusal. */
const named = async ({ db }: CommandContext, values: FlagValues) =>
  (await getChannelByNameOrId(db, need(values, "channel"))).id;

const edit: Command = {
  summary:
    "Change a channel; what is not named stays. --model and --secret name all that it has from then on; " +
    "--capability is added, and MODEL:FIELD=preset takes it back; " +
    "none lifts --vendor, --max-tasks, --timeout and --idle-timeout",
  flags: {
    ...target,
    name: { type: "string" },
    vendor: { type: "string" },
    "base-url": { type: "string" },
    secret: { type: "string", multiple: true },
    model: { type: "string", multiple: true },
    capability: { type: "string", multiple: true },
    ...trafficFlags,
  },
  run: changing(async (context, values) => {
    const secrets = many(values, "secret").map((secret) => ({ secret }));
    const settings = {
      name: text(values, "name"),
      vendor: newVendor(values),
      baseUrl: text(values, "base-url"),
      secrets: secrets.length > 0 ? secrets : undefined,
      ...traffic(values),
    };
    const channel = await lockChannel(context.db, await named(context, values));
    const models = changedModels(values, channel);
    const change = { ...settings, models, channelId: channel.id };
    const changed = await operate(context, channelOperations.update, change);
    return { ...view(changed), ...(models && (await noteOfUnlisted(context.db, changed))) };
  }),
};

const setEnabled = (summary: string, isEnabled: boolean): Command => ({
  summary,
  flags: target,
  run: changing(async (context, values) => {
    const channelId = await named(context, values);
    return view(await operate(context, channelOperations.setEnabled, { channelId, isEnabled }));
  }),
});

const setMovedOff = (summary: string, isMovedOff: boolean): Command => ({
  summary,
  flags: target,
  run: changing(async (context, values) => {
    const channelId = await named(context, values);
    return view(await operate(context, channelOperations.setMovedOff, { channelId, isMovedOff }));
  }),
});

const remove: Command = {
  summary: "Remove a channel",
  flags: target,
  run: changing(async (context, values) =>
    view(await operate(context, channelOperations.remove, { channelId: await named(context, values) })),
  ),
};

export const channelCommands: Record<string, Command> = {
  add,
  edit,
  list: {
    summary: "List channels, or show one, each with its state as the running server sees it",
    flags: { channel: { type: "string" } },
    run: async ({ db, config }, values) => {
      const states = await askChannelStates(config);
      const withState = (channel: Channel) => ({
        ...view(channelOperations.view(channel)),
        state: states.stateOf(channel),
      });
      if (values.channel === undefined) {
        return (await listChannels(db)).map(withState);
      }
      const channel = await getChannelByNameOrId(db, need(values, "channel"));
      // Includes the capabilities in force for each of its models.
      return [{ ...withState(channel), capabilities: channel.capabilities }];
    },
  },
  health: {
    summary:
      "Show how a channel did in the last hour, day or week: volume, faults, times, since when it fails",
    flags: { ...target, span: { type: "string" } },
    run: async (context, values) => {
      const channelId = await named(context, values);
      const span = text(values, "span");
      const parsed = channelQueries.health.input.safeParse({
        channelId,
        ...(span !== undefined && { span }),
      });
      if (!parsed.success) {
        throw new UsageError("--span is hour, day or week");
      }
      const { config, secrets, database: db } = context;
      return await withRooms(context, async (rooms) =>
        shownWhole(
          await channelQueries.health.read({ ...rooms, config, secrets, db }, parsed.data, "operator"),
        ),
      );
    },
  },
  vendors: {
    summary: "List the vendors that --vendor knows",
    flags: {},
    run: async () =>
      vendors.map(({ id, name, dialect, baseUrl }) => ({ id, name, dialect, base_url: baseUrl })),
  },
  test: testCommand,
  enable: setEnabled("Use a channel again", true),
  disable: setEnabled("Send nothing to a channel", false),
  "move-off": setMovedOff(
    "Send a channel's calls to the others of each model; it is tried last, where none takes a call",
    true,
  ),
  "move-back": setMovedOff("Send a channel its calls again", false),
  remove,
};
