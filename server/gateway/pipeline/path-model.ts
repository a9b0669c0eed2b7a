import { GatewayError } from "@/server/base/errors";
import { setMembers } from "@/server/protocol/json-splice";
import { type JsonSource, readJsonText } from "@/server/protocol/json-text";

/**
 * The operations below Azure's addresses, which name the model. Clients may send the slashes of its name as they are,
 * or encoded.
 */
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

/**
 * The path of the models below `/v1`. Google's clients also use other versions, and Google's resource names before
 * `models`.
 */
const MODELS =
  /^\/v1(?:alpha|beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?models(?:\/(.+?))?\/?$/;

/** Decodes a part of a path. Returns it as it is if it is encoded wrongly. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The decoded text after `models/` in a path: a model, or a model and an operation. "": nothing. null: another path.
 */
export function behindModels(path: string): string | null {
  const match = MODELS.exec(path);
  return match && decodedPart(match[1] ?? "");
}

/** Reads a path of Azure's form. null: another form. */
export function deploymentIn(path: string): { model: string; operation: string } | null {
  const [, model, operation] = DEPLOYMENT.exec(path) ?? [];
  return model === undefined || operation === undefined ? null : { model: decodedPart(model), operation };
}

/** The model in an address of Azure's form. null: another form. */
export const modelInPath = ({ url }: Request): string | null =>
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
