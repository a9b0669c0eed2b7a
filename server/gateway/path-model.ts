import { GatewayError } from "@/server/base/errors";
import { setMembers } from "@/server/protocol/json-splice";
import { type JsonSource, readJsonText } from "@/server/protocol/json-text";

/** Azure's addresses name the model; its clients may send slashes of a name as they are, or encoded. */
const OPERATIONS = [
  "chat/completions",
  "completions",
  "responses",
  "embeddings",
  "images/generations",
  "images/edits",
  "audio/speech",
  "audio/transcriptions",
  "audio/translations",
];
const DEPLOYMENT = new RegExp(
  `^/openai/deployments/(?!chat/completions/?$)(.+?)/(${OPERATIONS.join("|")})/?$`,
);

/** The models below `/v1`; Google's clients know them below other versions, and below names of Google's, too. */
const MODELS =
  /^\/v1(?:alpha|beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?models(?:\/(.+?))?\/?$/;

/** The text of a part of a path; as it is where it is encoded wrongly. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What stands behind `models/` in a path, decoded: a model, or what is asked of it. "": nothing. null: another path. */
export function behindModels(path: string): string | null {
  const found = MODELS.exec(path);
  return found && decodedPart(found[1] ?? "");
}

/** A path of Azure's form. null: it has another. */
export function deploymentIn(path: string): { model: string; operation: string } | null {
  const [, model, operation] = DEPLOYMENT.exec(path) ?? [];
  return model === undefined || operation === undefined ? null : { model: decodedPart(model), operation };
}

/** The model that an address of Azure's form names. null: it has another form. */
export const modelInPath = ({ url }: Request): string | null =>
  deploymentIn(new URL(url).pathname)?.model ?? null;

/** The body's text with this model, whatever else it has left as it is. */
export const withModel = (source: JsonSource, model: string): string =>
  setMembers(readJsonText(source), { model });

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
