import { details } from "@/server/base/details";
import { cannotConvert, optionalFields } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, wordOf } from "../fields";

/** How the answer's form is asked for: of the upstream itself, by a tool whose input it is, or in words. */
type AnswerFormat = { format: JsonObject | null; toolSchema: JsonObject | null; instruction: string | null };

const free: AnswerFormat = { format: null, toolSchema: null, instruction: null };

const isObjectSchema = (schema: JsonObject): boolean =>
  schema.type === "object" || (Array.isArray(schema.type) && schema.type.includes("object"));

/**
 * Whether every object in a schema lists all it may have: Anthropic's own JSON mode refuses others ("For 'object'
 * type, 'additionalProperties' must be explicitly set to false"), and closing them would change what the client asked
 * for.
 */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) {
    return schema.every(isClosed);
  }
  if (!isJsonObject(schema)) {
    return true;
  }
  return (
    (!isObjectSchema(schema) || schema.additionalProperties === false) &&
    Object.values(schema).every(isClosed)
  );
}

/** Reads `response_format`. Throws cannotConvert for a form that the messages dialect has not. */
export function readAnswerFormat(wanted: unknown, takes: Capabilities): AnswerFormat {
  const sent = optionalFields(wanted, "response_format");
  if (!wanted || sent.type === "text") {
    return free;
  }
  const schema = isJsonObject(sent.json_schema) ? sent.json_schema.schema : null;
  if (sent.type === "json_schema" && isJsonObject(schema)) {
    if (takes.jsonSchema && isClosed(schema)) {
      return { ...free, format: { type: "json_schema", schema } };
    }
    return isObjectSchema(schema) || schema.type === undefined
      ? { ...free, toolSchema: schema }
      : {
          ...free,
          instruction: `Reply with nothing but JSON that fits this JSON Schema: ${JSON.stringify(schema)}`,
        };
  }
  return sent.type === "json_object" || sent.type === "json_schema"
    ? { ...free, instruction: "Reply with nothing but one valid JSON object." }
    : cannotConvert(details.valueNotConvertible("response_format.type", wordOf(sent.type)));
}
