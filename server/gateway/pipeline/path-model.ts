import type { ClientRequest } from "@/server/base/client-request";
import { GatewayError } from "@/server/base/errors";
import { deploymentIn } from "@/server/endpoints";
import { setMembers } from "@/server/protocol/json/splice";
import { type JsonSource, readJsonText } from "@/server/protocol/json/text";

/** The model in an address of Azure's form. null: another form. */
export const modelInPath = ({ url }: ClientRequest): string | null =>
  deploymentIn(new URL(url).pathname)?.model ?? null;

/** The body's text with this model, otherwise unchanged. */
export const withModel = (source: JsonSource, model: string): string =>
  setMembers(readJsonText(source), { model });

/** Parses a body. If it has no model, adds this one first. `isNamed`: the model was added. */
export function parseNamed<Parsed>(
  raw: string,
  model: string | null,
  parse: (raw: string) => Parsed,
): { parsed: Parsed; isNamed: boolean } {
  try {
    return { parsed: parse(raw), isNamed: false };
  } catch (error) {
    if (model === null || !(error instanceof GatewayError) || error.kind !== "missingModel") {
      throw error;
    }
    return { parsed: parse(withModel(raw, model)), isNamed: true };
  }
}
