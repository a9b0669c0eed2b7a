import { z } from "zod";
import type { Action } from "@/server/audit";
import {
  addChannel,
  type Channel,
  listModelChecks,
  lockChannel,
  overridesSchema,
  removeChannel,
  seeModelChanges,
  setChannelEnabled,
  setChannelMovedOff,
  setModelCheck,
  updateChannel,
} from "@/server/channels";
import {
  ChannelSettings,
  Credential,
  CredentialChange,
  MAX_CREDENTIALS,
} from "@/server/channels/settings/schema";
import type { Db } from "@/server/db";
import { vendorApis } from "@/server/domain/enums";
import { operation } from "./operation";
import { ChannelId } from "./schema";

const Target = z.strictObject({ channelId: ChannelId });

/** A model's name, public or upstream. */
export const ModelName = z.string().min(1).max(256);

/** Overrides of either dialect; the room checks them against the channel's own. */
const Overrides = z.union([overridesSchema("openai"), overridesSchema("anthropic")]);

/** A channel's models as the room takes them: a public name has one upstream name. */
const Models = z
  .array(
    z.strictObject({
      modelId: ModelName,
      upstreamName: ModelName.optional().describe("The name at the upstream; default: the same"),
      overrides: Overrides.optional().describe("Overrides of the presets; default: none"),
    }),
  )
  .max(5_000)
  .refine((rows) => new Set(rows.map((row) => row.modelId)).size === rows.length)
  .transform((rows) => ({
    models: Object.fromEntries(rows.map(({ modelId, upstreamName = modelId }) => [modelId, upstreamName])),
    capabilities: Object.fromEntries(
      rows
        .filter(({ overrides = {} }) => Object.keys(overrides).length > 0)
        .map(({ modelId, overrides = {} }) => [modelId, overrides]),
    ),
  }));

/** A channel as people see it. Its models are rows instead of members, because a model may be called `__proto__`. */
export const view = ({ models, capabilities, overrides, credentialCount: _, ...channel }: Channel) => ({
  ...channel,
  models: Object.entries(models).map(([modelId, upstreamName]) => ({
    modelId,
    upstreamName,
    overrides: overrides[modelId] ?? {},
    inForce: capabilities[modelId] ?? {},
  })),
});

const recordOf = ({ id: _, createdAt: __, capabilities: ___, credentialCount, ...settings }: Channel) => ({
  ...settings,
  credentials: credentialCount,
});

/** `before` or `after` is absent if the channel did not exist then. */
export function change(
  action: Action,
  channel: Channel,
  { before, after }: { before?: Channel; after?: Channel },
) {
  return {
    action,
    accountId: null,
    target: { id: channel.id, name: channel.name },
    ...(before && { before: recordOf(before) }),
    ...(after && { after: recordOf(after) }),
    result: view(channel),
  };
}

/** Members that are left out get the defaults of a new channel. */
export const create = operation({
  needs: "channels.write",
  input: ChannelSettings.partial().extend({
    name: ChannelSettings.shape.name,
    baseUrl: ChannelSettings.shape.baseUrl,
    dialect: z.enum(vendorApis),
    secrets: z.array(Credential).min(1).max(MAX_CREDENTIALS),
    models: Models,
  }),
  run: async ({ db, vault }, input) => {
    const after = await addChannel(db, { ...input, ...input.models }, vault);
    return change("channel.create", after, { after });
  },
});

/** Members that are not named stay. Credentials and models, if named, replace the whole list. */
export const update = operation({
  needs: "channels.write",
  input: ChannelSettings.partial().extend({
    ...Target.shape,
    secrets: z.array(CredentialChange).min(1).max(MAX_CREDENTIALS).optional(),
    models: Models.optional(),
  }),
  run: async ({ db, vault }, { channelId, models, ...settings }) => {
    const before = await lockChannel(db, channelId);
    const after = await updateChannel(db, { ...settings, ...models, channelId: before.id }, vault);
    const changed = change("channel.update", after, { before, after });
    const newCredentials = settings.secrets?.filter((secret) => "secret" in secret).length;
    // Two credentials may have the same last characters: a replacement is recorded all the same.
    return newCredentials ? { ...changed, after: { ...changed.after, newCredentials } } : changed;
  },
});

export const setEnabled = operation({
  needs: "channels.write",
  input: Target.extend({ isEnabled: z.boolean() }),
  run: async ({ db }, { channelId, isEnabled }) => {
    const before = await lockChannel(db, channelId);
    const after = await setChannelEnabled(db, { channelId, isEnabled });
    return change(isEnabled ? "channel.enable" : "channel.disable", after, { before, after });
  },
});

/** Sends a channel's calls to the other channels of each model, until this is reversed. */
export const setMovedOff = operation({
  needs: "channels.write",
  input: Target.extend({
    isMovedOff: z
      .boolean()
      .describe(
        "Traffic goes to the other channels; this one is tried last, only if no other accepts a request",
      ),
  }),
  run: async ({ db }, { channelId, isMovedOff }) => {
    const before = await lockChannel(db, channelId);
    const after = await setChannelMovedOff(db, { channelId, isMovedOff });
    return change(isMovedOff ? "channel.move_off" : "channel.move_back", after, { before, after });
  },
});

export const remove = operation({
  needs: "channels.write",
  input: Target,
  run: async ({ db }, { channelId }) => {
    const before = await removeChannel(db, channelId);
    return change("channel.remove", before, { before });
  },
});

const scheduleOf = async (db: Db, channelId: Channel["id"]) =>
  (await listModelChecks(db)).find((check) => check.channelId === channelId)?.everyDays ?? null;

/** Asks the channel's vendor for its models on a schedule. It puts nothing on sale. */
export const setModelChecks = operation({
  needs: "channels.write",
  input: Target.extend({
    modelCheckDays: z
      .number()
      .int()
      .min(1)
      .max(30)
      .nullable()
      .describe("The vendor is asked for its models every so many days; null: never"),
  }),
  run: async ({ db }, { channelId, modelCheckDays }) => {
    const { id, name } = await lockChannel(db, channelId);
    const before = await scheduleOf(db, id);
    await setModelCheck(db, { channelId: id, everyDays: modelCheckDays });
    return {
      ...{ action: "channel.set_model_checks", accountId: null, target: { id, name } },
      ...{ before: { modelCheckDays: before }, after: { modelCheckDays }, result: null },
    };
  },
});

/** Names in an entry of the audit log: a vendor may list thousands. */
const NAMED = 50;

/** Marks the models that a vendor has added and removed as seen, so that they need no attention. */
export const seeModels = operation({
  needs: "channels.write",
  input: Target,
  run: async ({ db }, { channelId }) => {
    const { id, name } = await lockChannel(db, channelId);
    const { newModels, goneModels } = await seeModelChanges(db, id);
    const after = {
      ...{ added: newModels.length, removed: goneModels.length },
      ...{ newModels: newModels.slice(0, NAMED), goneModels: goneModels.slice(0, NAMED) },
    };
    return { action: "channel.see_models", accountId: null, target: { id, name }, after, result: null };
  },
});
