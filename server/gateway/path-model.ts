import { GatewayError } from "@/server/base/errors";
import { setMembers } from "@/server/protocol/json-splice";
import { readJsonText } from "@/server/protocol/json-text";

/** Azure's addresses name the model; its clients may send slashes of a name as they are, or encoded. */
const DEPLOYMENT = /^\/openai\/deployments\/(.+)\/(?:chat\/completions|embeddings)\/?$/;

/** The text of a part of a path; as it is where it is encoded wrongly. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The model that an address of Azure's form names. null: it has another form. */
export function modelInPath({ url }: Request): string | null {
  const part = DEPLOYMENT.exec(new URL(url).pathname)?.[1];
  return part === undefined ? null : decodedPart(part);
}

/** The body's text with this model, whatever else it has left as it is. */
export const withModel = (raw: string, model: string): string => setMembers(readJsonText(raw), { model });

/** What `parse` makes of a body, or of one with this model where the body has none. `isNamed`: the model was added. */
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
