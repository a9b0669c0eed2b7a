import { jsonReply, type Reply } from "@/server/base/reply";
import type { Catalog } from "@/server/catalog";

/** GET /v1/models (spec 4.1): the enabled models, for anyone. */
export function listModels(catalog: Catalog): () => Promise<Reply> {
  return async () => {
    const data = (await catalog.list()).map((model) => ({
      id: model.id,
      object: "model",
      created: Math.floor(model.createdAt.getTime() / 1000),
      owned_by: model.ownedBy,
    }));
    return jsonReply(200, { object: "list", data });
  };
}
