import { findModel, listCatalog } from "@/server/catalog";
import { getChannel, listChannels, vendors } from "@/server/channels";
import type { Runtime } from "@/server/process/runtime";

/** The list. Of a channel's models it has the number: there may be many. */
export async function showChannels({ db }: Runtime) {
  return (await listChannels(db.orm)).map(
    ({ models, capabilities: _, overrides: __, credentialCount: ___, ...channel }) => ({
      ...channel,
      modelCount: Object.keys(models).length,
    }),
  );
}

/** One channel for its form. Rows of models, not members: one may be called `__proto__`. Throws Refusal. */
export async function showChannel({ db }: Runtime, channelId: string) {
  const { models, capabilities, overrides, ...channel } = await getChannel(db.orm, channelId);
  return {
    ...channel,
    models: Object.entries(models).map(([modelId, upstreamName]) => ({
      modelId,
      upstreamName,
      overrides: overrides[modelId] ?? {},
      inForce: capabilities[modelId] ?? {},
    })),
  };
}

/** What a form offers: the presets, and the names that clients know. */
export async function showChannelChoices({ db }: Runtime) {
  return {
    vendors: vendors.map(({ id, name, dialect, baseUrl }) => ({ id, name, dialect, baseUrl })),
    models: (await listCatalog(db.orm)).map(({ id }) => id),
  };
}

/** Where a call for this model goes, and whether there can be one at all. */
export async function showRoutes({ db, channels }: Runtime, modelId: string) {
  const model = await findModel(db.orm, modelId);
  return {
    model: model && { kind: model.kind, isEnabled: model.isEnabled },
    tiers: await channels.explainRoutes(modelId),
  };
}

type Test = { channelId: string; modelId: string; credential?: number | undefined };

/** Makes a real call: it takes as long as the upstream does, at most 20 seconds. Throws Refusal. */
export async function testStored({ db, channels }: Runtime, { channelId, ...options }: Test) {
  const channel = await getChannel(db.orm, channelId);
  const kind = (await findModel(db.orm, options.modelId))?.kind;
  return await channels.test(channel, { ...options, kind });
}

type Draft = Parameters<Runtime["channels"]["testDraft"]>[0];

/** The same of a channel that is in a form only. */
export async function testDraft({ db, channels }: Runtime, draft: Draft, modelId: string) {
  const kind = (await findModel(db.orm, modelId))?.kind;
  return await channels.testDraft(draft, { modelId, kind });
}
