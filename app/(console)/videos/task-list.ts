import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { shownTaskStates, taskSorts } from "@/server/domain/enums";
import type { Trpc } from "../_components/data/prefetch";
import { paged } from "../_components/tables/pages-of";

/** In the address, so that a filtered list or a task can be bookmarked and shared. */
export const taskParsers = {
  state: parseAsStringLiteral(shownTaskStates),
  model: parseAsString,
  key: parseAsString,
  account: parseAsString,
  channel: parseAsString,
  sort: parseAsStringLiteral(taskSorts).withDefault("-created"),
  view: parseAsStringLiteral(["table", "gallery"] as const).withDefault("table"),
  task: parseAsString.withOptions({ history: "push" }),
};

export type TaskParameters = inferParserType<typeof taskParsers>;

/** The tasks of an account, or of all accounts. */
export const taskLists = (trpc: Trpc, { state, model, key, account, channel, sort }: TaskParameters) => {
  const own = { state: state ?? undefined, modelId: model ?? undefined, keyId: key ?? undefined, sort };
  const all = { ...own, accountId: account ?? undefined, channelId: channel ?? undefined };
  return {
    owner: trpc.videos.list.infiniteQueryOptions(own, paged),
    operator: trpc.allVideos.list.infiniteQueryOptions(all, paged),
  };
};
