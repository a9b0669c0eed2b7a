import { listChannels } from "@/server/channels";
import { kindAt } from "@/server/domain/model-kinds";
import { offers } from "@/server/operations";
import { decimalsOf } from "@/server/pricing";
import type { Runtime } from "@/server/runtime/runtime";

/**
 * The known facts of a model that a channel serves and the catalog lacks, for the form that adds it. null: no facts.
 */
export async function showModelFacts({ db }: Runtime, modelId: string) {
  const serving = (await listChannels(db)).filter(({ models }) => Object.hasOwn(models, modelId));
  const channel = serving.find(({ isEnabled }) => isEnabled) ?? serving[0];
  const upstreamName = channel?.models[modelId];
  if (!channel || upstreamName === undefined) {
    return null;
  }
  const named = offers.byNameOnly(upstreamName);
  const kind = kindAt(channel.dialect, named) ?? "chat";
  const { currency, find } = offers.listPriceOf(channel);
  const listed = find(named);
  return {
    kind,
    ownedBy: offers.makerOf(upstreamName, channel) ?? null,
    maxOutputTokens: offers.longestAnswerOf(kind, named, channel) ?? null,
    list: listed && { currency, prices: decimalsOf(listed) },
  };
}
