import { listCatalog } from "@/server/catalog";
import {
  type Channel,
  getChannelByNameOrId,
  listChannels,
  listModelChecks,
  lockChannel,
  vendors,
} from "@/server/channels";
import type { Db } from "@/server/db";
import { channelOperations } from "@/server/operations";
import { channelQueries } from "@/server/queries";
import { endpoint, newVendor, traffic, trafficFlags } from "./channel-flags";
import { changedModels, newModels } from "./channel-models";
import { offersCommand, sellCommand } from "./channel-offers";
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
  const listed = new Set((await listCatalog(db)).map(({ id }) => id));
  const unlisted = models.map(({ modelId }) => modelId).filter((id) => !listed.has(id));
  return unlisted.length === 0
    ? {}
    : {
        note: `not in the catalog, so requests return 404: ${unlisted.sort().join(", ")}. Add it with \`model set\``,
      };
}

const target = { channel: { type: "string", required: true } } as const;

const add: Command = {
  summary:
    "Add a channel: --vendor (listed by channel vendors), or --dialect and --base-url; --secret can be repeated, " +
    "and is ACCESS:SECRET for vendors with two keys (kling)",
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
    "Change a channel; settings without a flag stay the same. --model and --secret replace the whole list; " +
    "--capability adds an override, and MODEL:FIELD=preset removes it; " +
    "`none` removes --vendor, --max-tasks, --timeout and --idle-timeout",
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

const checkModels: Command = {
  summary:
    "Ask a channel's vendor for its models every --days days, and notify operators of new ones; --off ends it",
  flags: { ...target, days: { type: "string" }, off: { type: "boolean" } },
  run: changing(async (context, values) => {
    const days = text(values, "days");
    if ((days === undefined) === (values.off !== true)) {
      throw new UsageError("name --days or --off");
    }
    const modelCheckDays = days === undefined ? null : Number(days);
    const channelId = await named(context, values);
    await operate(context, channelOperations.setModelChecks, { channelId, modelCheckDays });
    return { channelId, days: modelCheckDays };
  }),
};

const seeModels: Command = {
  summary: "Mark the new and removed models of a channel's vendor as seen",
  flags: target,
  run: changing(async (context, values) => {
    const channelId = await named(context, values);
    await operate(context, channelOperations.seeModels, { channelId });
    return { channelId };
  }),
};

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
    summary: "List channels, or show one, with the state that the running server reports",
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
      "Show the health of a channel for the last hour, day or week: volume, errors, latency, and since when it has been failing",
    flags: { ...target, span: { type: "string" } },
    run: async (context, values) => {
      const channelId = await named(context, values);
      const span = text(values, "span");
      const parsed = channelQueries.health.input.safeParse({
        channelId,
        ...(span !== undefined && { span }),
      });
      if (!parsed.success) {
        throw new UsageError("--span must be hour, day or week");
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
    summary: "List the vendors for --vendor",
    flags: {},
    run: async () =>
      vendors.map(({ id, name, dialect, baseUrl }) => ({ id, name, dialect, base_url: baseUrl })),
  },
  test: testCommand,
  offers: offersCommand,
  sell: sellCommand,
  "check-models": checkModels,
  "model-checks": {
    summary: "List the schedules of check-models, with new and removed models",
    flags: {},
    run: async ({ db }) => (await listModelChecks(db)).map(shownWhole),
  },
  "see-models": seeModels,
  enable: setEnabled("Enable a channel", true),
  disable: setEnabled("Disable a channel: it receives no requests", false),
  "move-off": setMovedOff(
    "Move a channel's traffic to the other channels; it is tried last, only if no other accepts a request",
    true,
  ),
  "move-back": setMovedOff("Move traffic back to a channel", false),
  remove,
};
