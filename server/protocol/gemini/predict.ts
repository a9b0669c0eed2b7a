/** Converts between Google's call for pictures (`:predict`, Imagen) and OpenAI's images endpoint. */
import { errorMessages } from "@/server/base/error-messages";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { type ForwardedRequest, parseForwarded } from "../forwarded/forwarded";
import { imageReader } from "../forwarded/images";
import { refuse } from "../json/object";
import { setMembers } from "../json/splice";
import { readJsonText } from "../json/text";
import { inCamelCase } from "./names";
import { readList } from "./request";

/** Google's aspect ratios as the sizes of OpenAI's models. */
const sizes: Record<string, string> = {
  "1:1": "1024x1024",
  "3:4": "1024x1536",
  "9:16": "1024x1536",
  "4:3": "1536x1024",
  "16:9": "1536x1024",
};

function sizeOf({ aspectRatio }: JsonObject): string | undefined {
  if (aspectRatio === undefined || aspectRatio === null) {
    return undefined;
  }
  const ratio = textOf(aspectRatio);
  const size = Object.hasOwn(sizes, ratio) ? sizes[ratio] : undefined;
  if (size === undefined) {
    throw refuse(errorMessages.mustBeOneOf("parameters.aspectRatio", Object.keys(sizes)));
  }
  return size;
}

/** The prompt of one picture. Throws for input pictures: only edits in OpenAI's form take them. */
function promptOf(fields: JsonObject): unknown {
  const instances = readList(fields.instances, "instances");
  const [instance = {}] = instances.map(inCamelCase);
  if (instances.length > 1) {
    throw refuse(errorMessages.mostItems("instances", 1));
  }
  const member = ["image", "mask", "referenceImages"].find((name) => instance[name]);
  if (member !== undefined) {
    throw refuse(errorMessages.notSupported(`instances[0].${member}`));
  }
  return instance.prompt;
}

/**
 * Parses a body of `:predict`, for `model`: the number of pictures and their ratio. Drops the rest (seeds, filters,
 * watermarks): they are hints that other vendors do not know. Throws the 400s of spec section 7.
 */
export function parsePrediction(
  raw: string,
  model: string,
  parts?: ForwardedRequest["billableParts"],
): ForwardedRequest {
  const fields = inCamelCase(readJsonText(raw).fields);
  const parameters = fields.parameters ?? {};
  if (!isJsonObject(parameters)) {
    throw refuse(errorMessages.mustBeObject("parameters"));
  }
  const options = inCamelCase(parameters);
  const { sampleCount: n } = options;
  const body = { model, prompt: promptOf(fields), n, size: sizeOf(options) };
  return parseForwarded(JSON.stringify(body), imageReader.read, parts);
}

/** GPT's image models always answer with the picture itself, and refuse a request that asks for it. */
const ANSWERS_WITH_BYTES = /(?:^|\/)(?:chat)?gpt-image/i;

/** The body for an upstream that knows the model by this name: the answer must contain the pictures. */
export const predictionBody = (request: ForwardedRequest, name: string): string =>
  setMembers(request, {
    model: name,
    ...(!ANSWERS_WITH_BYTES.test(name) && { response_format: "b64_json" }),
  });

const beginnings = [
  ["iVBOR", "image/png"],
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"],
] as const;

const typeOf = (base64: string): string =>
  beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? "image/png";

/**
 * An images answer in Google's form. null: one of its pictures is only an address, for which Google's form has no
 * member.
 */
export function toPredictions({ data }: JsonObject): JsonObject | null {
  const predictions = (Array.isArray(data) ? data : []).filter(isJsonObject).map((picture) => {
    const bytesBase64Encoded = textOf(picture.b64_json);
    const prompt = textOf(picture.revised_prompt);
    return { mimeType: typeOf(bytesBase64Encoded), bytesBase64Encoded, ...(prompt !== "" && { prompt }) };
  });
  return predictions.every(({ bytesBase64Encoded }) => bytesBase64Encoded !== "") ? { predictions } : null;
}
