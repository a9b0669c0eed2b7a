import { listCatalog, listCostPrices } from "@/server/catalog";
import { findCredentials, getChannel, listChannels } from "@/server/channels";
import type { Db } from "@/server/db";
import type { ChannelId } from "@/server/domain/ids";
import { channelOperations, costOperations, priceOperations } from "@/server/operations";
import { type Advised, kind, type SecretMember, step } from "./kind";

const originOf = (baseUrl: unknown) => {
  const text = String(baseUrl).trim();
  return URL.canParse(text) ? new URL(text).origin : text;
};

/** A channel's credentials that stay are kept by their place, so that only a new one is written. */
const credentials: SecretMember = {
  member: "secrets",
  isList: true,
  fresh: (secrets) => secrets,
  changed: async ({ db, vault }, { id, secrets, due, view }) => {
    const { places, count } = await findCredentials(db, { channelId: id as ChannelId, secrets }, vault);
    const isSame = places.length === count && places.every((place, index) => place === index);
    // The room keeps a stored credential for its host only: after a move, all of them are entered again.
    const isMoved = due.baseUrl !== undefined && originOf(due.baseUrl) !== originOf(view.baseUrl);
    return isSame && !isMoved
      ? undefined
      : secrets.map((secret, index) => {
          const place = places[index] ?? null;
          return place === null || isMoved ? { secret } : { keep: place };
        });
  },
};

/** A misspelt or missing model answers 404, and nothing else says why. */
async function adviseModels(db: Db, { name, view, isNamed }: Advised): Promise<string | null> {
  const sold = new Set((await listCatalog(db)).map(({ id }) => id));
  const models = (view.models ?? []) as { modelId: string }[];
  const unknown = models
    .map(({ modelId }) => modelId)
    .filter((id) => !sold.has(id) && !isNamed(`model ${id}`));
  return unknown.length === 0
    ? null
    : `channel ${name} serves models that do not exist, so their requests return 404: ${unknown.join(", ")}`;
}

/** The prices that a channel's vendor charges for a model. */
const costs = kind({
  noun: "cost",
  section: "costs",
  name: "modelId",
  create: step(costOperations.set),
  steps: [step(costOperations.set)],
  target: ({ id, parentId }) => ({ channelId: parentId, modelId: modelOf(id) }),
  prune: { step: step(costOperations.set), enabled: null, disabled: { prices: [] } },
  list: async (db, parentId) =>
    (await listCostPrices(db, { channelId: parentId as ChannelId }))
      .filter(({ prices }) => prices.size > 0)
      .map(({ modelId, prices }) => ({
        id: costId(parentId, modelId),
        name: modelId,
        view: { modelId, prices: priceOperations.pricesView(prices) },
      })),
  read: async (db, { id, parentId }) => {
    const modelId = modelOf(id);
    const [entry] = await listCostPrices(db, { channelId: parentId as ChannelId, modelId });
    return { modelId, prices: entry ? priceOperations.pricesView(entry.prices) : [] };
  },
  idOf: (_, modelId, parentId) => costId(parentId, modelId),
});

/** An identifier of a channel has no space. */
const costId = (channelId: string | null, modelId: string) => `${channelId} ${modelId}`;
const modelOf = (id: string) => id.slice(id.indexOf(" ") + 1);

export const channels = kind({
  noun: "channel",
  section: "channels",
  name: "name",
  isRenamable: true,
  create: step(channelOperations.create),
  steps: [
    step(channelOperations.update),
    step(channelOperations.setEnabled),
    step(channelOperations.setMovedOff),
  ],
  target: ({ id }) => ({ channelId: id }),
  secret: credentials,
  prune: { step: step(channelOperations.remove), enabled: null, disabled: {} },
  list: async (db) =>
    (await listChannels(db)).map((channel) => ({
      id: channel.id,
      name: channel.name,
      view: channelOperations.view(channel),
    })),
  read: async (db, { id }) => channelOperations.view(await getChannel(db, id as ChannelId)),
  advise: adviseModels,
  // Every installation has its own.
  isExported: ({ dialect }) => dialect !== "sandbox",
  children: [costs],
});
