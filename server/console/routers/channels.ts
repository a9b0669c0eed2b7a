import { z } from "zod";
import {
  addChannel,
  type Channel,
  lockChannel,
  overridesSchema,
  removeChannel,
  setChannelEnabled,
  updateChannel,
} from "@/server/channels";
import { ChannelSettings, Credential, CredentialChange, MAX_CREDENTIALS } from "@/server/channels/schema";
import { operatorChange } from "../changes";
import {
  channelChange,
  showChannel,
  showChannelChoices,
  showChannels,
  showRoutes,
  testDraft,
  testStored,
} from "../channel-views";
import { operatorProcedure, router } from "../trpc";

const modelId = z.string().min(1).max(256);

const Target = z.strictObject({ channelId: z.string().min(1).max(100) });

const dialects = [
  "openai",
  "anthropic",
  "dashscope",
  "ark",
  "openai-video",
  "sandbox",
] as const satisfies Channel["dialect"][];

/** Of either wire; the room holds them to the channel's own. */
const Overrides = z.union([overridesSchema("openai"), overridesSchema("anthropic")]);

/** What a channel serves, as the room takes it: a public name has one upstream name. */
const Models = z
  .array(z.strictObject({ modelId, upstreamName: modelId, overrides: Overrides }))
  .max(5_000)
  .refine((rows) => new Set(rows.map((row) => row.modelId)).size === rows.length)
  .transform((rows) => ({
    models: Object.fromEntries(rows.map((row) => [row.modelId, row.upstreamName])),
    capabilities: Object.fromEntries(
      rows
        .filter(({ overrides }) => Object.keys(overrides).length > 0)
        .map((row) => [row.modelId, row.overrides]),
    ),
  }));

const Draft = ChannelSettings.extend({
  dialect: z.enum(dialects),
  secrets: z.array(Credential).min(1).max(MAX_CREDENTIALS),
  models: Models,
});

const Edit = ChannelSettings.partial().extend({
  ...Target.shape,
  secrets: z.array(CredentialChange).min(1).max(MAX_CREDENTIALS).optional(),
  models: Models.optional(),
});

export const channelsRouter = router({
  list: operatorProcedure.query(({ ctx }) => showChannels(ctx.runtime)),
  get: operatorProcedure.input(Target).query(({ ctx, input }) => showChannel(ctx.runtime, input.channelId)),
  /** What the process that answers has seen; another replica may have seen something else. */
  states: operatorProcedure.query(({ ctx }) => ctx.runtime.channels.states()),
  choices: operatorProcedure.query(({ ctx }) => showChannelChoices(ctx.runtime)),
  routes: operatorProcedure
    .input(z.strictObject({ modelId }))
    .query(({ ctx, input }) => showRoutes(ctx.runtime, input.modelId)),
  /** Tests change nothing, so they are not recorded, and no transaction waits for an upstream. */
  test: operatorProcedure
    .input(Target.extend({ modelId, credential: z.number().int().min(0).optional() }))
    .mutation(({ ctx, input }) => testStored(ctx.runtime, input)),
  testDraft: operatorProcedure
    .input(z.strictObject({ draft: Draft, modelId }))
    .mutation(({ ctx, input: { draft, modelId: tested } }) =>
      testDraft(ctx.runtime, { ...draft, ...draft.models }, tested),
    ),
  create: operatorChange.input(Draft).mutation(async ({ ctx, input }) => {
    const channel = await addChannel(ctx.db, { ...input, ...input.models }, ctx.runtime.vault);
    await ctx.record(channelChange("channel.create", null, channel));
    return { id: channel.id, name: channel.name };
  }),
  update: operatorChange.input(Edit).mutation(async ({ ctx, input: { models, ...settings } }) => {
    const before = await lockChannel(ctx.db, settings.channelId);
    const after = await updateChannel(ctx.db, { ...settings, ...models }, ctx.runtime.vault);
    const change = channelChange("channel.update", before, after);
    const newCredentials = settings.secrets?.filter((secret) => "secret" in secret).length;
    // Two credentials may have the same end: that one was replaced is said all the same.
    await ctx.record(newCredentials ? { ...change, after: { ...change.after, newCredentials } } : change);
  }),
  setEnabled: operatorChange
    .input(Target.extend({ isEnabled: z.boolean() }))
    .mutation(async ({ ctx, input: { channelId, isEnabled } }) => {
      const before = await lockChannel(ctx.db, channelId);
      const after = await setChannelEnabled(ctx.db, { channel: before.id, isEnabled });
      await ctx.record(channelChange(isEnabled ? "channel.enable" : "channel.disable", before, after));
    }),
  remove: operatorChange.input(Target).mutation(async ({ ctx, input }) => {
    const channel = await removeChannel(ctx.db, input.channelId);
    await ctx.record(channelChange("channel.remove", channel, null));
  }),
});
