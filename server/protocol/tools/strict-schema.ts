import { isJsonObject, type JsonObject } from "../fields";

const strictKeywords = new Set([
  ...["$schema", "$ref", "$defs", "title", "description", "type", "enum", "const", "anyOf"],
  ...["properties", "required", "additionalProperties", "items", "minItems", "maxItems", "pattern", "format"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
]);

const members = (value: unknown): unknown[] => Object.values(isJsonObject(value) ? value : {});

function isStrict(schema: unknown): boolean {
  if (!isJsonObject(schema) || !Object.keys(schema).every((keyword) => strictKeywords.has(keyword))) {
    return false;
  }
  const names = Object.keys(isJsonObject(schema.properties) ? schema.properties : {});
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const isObject = schema.type === "object" || names.length > 0;
  return (
    (!isObject || (schema.additionalProperties === false && names.every((name) => required.has(name)))) &&
    [
      ...members(schema.properties),
      ...members(schema.$defs),
      ...(Array.isArray(schema.anyOf) ? schema.anyOf : []),
      ...(schema.items === undefined ? [] : [schema.items]),
    ].every(isStrict)
  );
}

/**
 * OpenAI's strict mode takes few keywords, and only objects that require all their properties and allow no others.
 * Changing a schema to fit would change its meaning.
 */
export const fitsStrictMode = (schema: JsonObject): boolean => schema.type === "object" && isStrict(schema);
