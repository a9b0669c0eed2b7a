import { GatewayError } from "@/server/base/errors";
import type { Catalog, Model, ModelKind } from "@/server/catalog";
import type { AuthedCall } from "./endpoint";

/** Room for any model's name in the logs, and in the 404. */
const MAX_CHARACTERS = 200;

/**
 * Notes the model that a call names. Throws the 404 for one outside its key's scope, as if there were no such model.
 */
export function nameModel({ caller, facts }: AuthedCall, id: string): void {
  facts.model = id.slice(0, MAX_CHARACTERS);
  if (caller.models.length > 0 && !caller.models.includes(id)) {
    throw new GatewayError("unknownModel", facts.model);
  }
}

/** The model that a call names. Throws the 404 of spec section 7. */
export async function getNamedModel(
  catalog: Catalog,
  call: AuthedCall,
  { id, kind }: { id: string; kind: ModelKind },
): Promise<Model> {
  nameModel(call, id);
  return await catalog.get(id, kind);
}
