import type { inferRouterOutputs } from "@trpc/server";
import { addresses } from "@/app/addresses";
import type { AppRouter } from "@/server/console";
import type { ModelKind } from "@/server/domain/enums";
import { statedClasses, type TokenField } from "@/server/pricing";

/** A model on sale. Prices are decimals in currency units; token prices are per million. */
export type Model = inferRouterOutputs<AppRouter>["models"]["list"][number];

/** The playground's tab for a kind; the playground has no other kinds. */
const tabs: Partial<Record<ModelKind, string>> = { chat: "chat", embedding: "embeddings", video: "video" };

/** null: the playground has no tab for the model. */
export function playgroundHref({ id, kind }: Pick<Model, "id" | "kind">): string | null {
  const tab = tabs[kind];
  return tab === undefined ? null : addresses.playground({ tab, model: id });
}

/** The models whose name or owner contains the text, whatever its case. */
export function matching(models: Model[], text: string): Model[] {
  const query = text.trim().toLowerCase();
  return models.filter(({ id, ownedBy }) => `${id}\n${ownedBy}`.toLowerCase().includes(query));
}

const classes: readonly TokenField[] = statedClasses.map(({ field }) => field);

/** The token classes that the model's calls are charged by. */
export function classesOf({ kind, prices }: Model): readonly TokenField[] {
  if (kind === "chat") {
    return classes;
  }
  return kind === "embedding"
    ? ["input"]
    : (["input", "output"] as const).filter((name) => prices[name] !== "0");
}
