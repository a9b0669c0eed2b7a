import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject } from "../fields";
import type { AnswerFormat } from "../pivot/conversation";

/** How a request asks for the answer's form: as a member, by a tool whose input is the answer, or in words. */
type FormatPlan = { format: JsonObject | null; toolSchema: JsonObject | null; instruction: string | null };

const free: FormatPlan = { format: null, toolSchema: null, instruction: null };

const isObjectSchema = (schema: JsonObject): boolean =>
  schema.type === "object" || (Array.isArray(schema.type) && schema.type.includes("object"));

/**
 * Whether every object in a schema lists all members that it may have: Anthropic's own JSON mode refuses others ("For
 * 'object' type, 'additionalProperties' must be explicitly set to false"), and closing them would change the client's
 * request.
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

export function planFormat(format: AnswerFormat | null, takes: Capabilities): FormatPlan {
  if (format === null) {
    return free;
  }
  if (format.type === "json") {
    return { ...free, instruction: "Reply with nothing but one valid JSON object." };
  }
  const { schema } = format;
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
