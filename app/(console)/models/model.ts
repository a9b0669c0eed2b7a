import type { inferRouterOutputs } from "@trpc/server";
import { addresses } from "@/app/addresses";
import type { ModelKind } from "@/server/base/facts";
import type { AppRouter } from "@/server/console";

/** A model on sale. Prices are decimals in currency units, of tokens per million. */
export type Model = inferRouterOutputs<AppRouter>["models"]["list"][number];

/** Where a kind is tried; others are not, in the playground. */
const tabs: Partial<Record<ModelKind, string>> = { chat: "chat", embedding: "embeddings", video: "video" };

/** null: the playground has nothing for it. */
export function playgroundHref({ id, kind }: Pick<Model, "id" | "kind">): string | null {
  const tab = tabs[kind];
  return tab === undefined ? null : addresses.playground({ tab, model: id });
}

/** The models whose name or owner contains the text, whatever its case. */
export function matching(models: Model[], text: string): Model[] {
  const wanted = text.trim().toLowerCase();
  return models.filter(({ id, ownedBy }) => `${id}\n${ownedBy}`.toLowerCase().includes(wanted));
}
