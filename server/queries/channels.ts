import { z } from "zod";
import { findAccountNames } from "@/server/access";
import { reportChannel } from "@/server/calls";
import { findModel } from "@/server/catalog";
import { getChannel, listChannels, listModelChecks } from "@/server/channels";
import { channelOperations } from "@/server/operations";
import { ChannelId } from "@/server/operations/schema";
import { query } from "./query";

const { ModelName } = channelOperations;

const Target = z.strictObject({ channelId: ChannelId });

/** Channels with the number of their models, which may be many. */
export const list = query({
  needs: "channels.read",
  input: z.strictObject({}),
  read: async ({ db }) =>
    (await listChannels(db)).map(
      ({ models, capabilities: _, overrides: __, credentialCount: ___, ...channel }) => ({
        ...channel,
        modelCount: Object.keys(models).length,
      }),
    ),
});

export const get = query({
  needs: "channels.read",
  input: Target,
  read: async ({ db }, { channelId }) => channelOperations.view(await getChannel(db, channelId)),
});

/** The observations of the process that answers; another replica may differ. */
export const states = query({
  needs: "channels.read",
  input: z.strictObject({}),
  read: ({ channels }) => channels.states(),
});

/** The channels whose vendors are asked for their models on a schedule, and the changes that no operator has seen. */
export const modelChecks = query({
  needs: "channels.read",
  input: z.strictObject({}),
  read: ({ db }) => listModelChecks(db),
});

/** The hours of a span, and the parts in which it is drawn. */
export const spans = {
  hour: { hours: 1, parts: 12 },
  day: { hours: 24, parts: 24 },
  week: { hours: 168, parts: 28 },
} as const;

const HOUR_MS = 3_600_000;

/** A channel's performance up to now, as recorded by all replicas; some seconds late. */
export const health = query({
  mayLag: true,
  needs: "channels.read",
  input: Target.extend({ span: z.enum(["hour", "day", "week"]).default("day") }),
  read: async ({ db }, { channelId, span }) => {
    await getChannel(db, channelId);
    const { hours, parts } = spans[span];
    const until = new Date();
    const from = new Date(until.getTime() - hours * HOUR_MS);
    const { accounts, ...report } = await reportChannel(db, { channelId, from, until, parts });
    const names = await findAccountNames(
      db,
      accounts.map(({ accountId }) => accountId),
    );
    return {
      ...{ from, until, ...report },
      accounts: accounts.map(({ accountId: id, ...counts }) => ({
        ...counts,
        account: { id, name: names.get(id) ?? "" },
      })),
    };
  },
});

/** The routes of a call for this model, and whether such a call is possible at all. */
export const routes = query({
  needs: "channels.read",
  input: z.strictObject({ modelId: ModelName }),
  read: async ({ db, channels }, { modelId }) => {
    const model = await findModel(db, modelId);
    return {
      model: model && { kind: model.kind, isEnabled: model.isEnabled, routing: model.routing },
      tiers: await channels.explainRoutes(modelId),
    };
  },
});

/**
 * Makes a real call: it takes as long as the upstream does, at most 20 seconds. It changes nothing, so it is not
 * recorded, and no transaction waits for an upstream.
 */
export const test = query({
  needs: "channels.write",
  input: Target.extend({ modelId: ModelName, credential: z.number().int().min(0).optional() }),
  read: async ({ db, channels }, { channelId, ...options }) => {
    const channel = await getChannel(db, channelId);
    const kind = (await findModel(db, options.modelId))?.kind;
    return await channels.test(channel, { ...options, kind });
  },
});
