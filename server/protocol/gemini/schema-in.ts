import { isJsonObject, type JsonObject } from "../fields";
import { inCamelCase } from "./names";

/** Members that hold one schema, a list of schemas, or schemas under names of the client's choice. */
const inner = new Set(["items", "additionalProperties", "not"]);
const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const maps = new Set(["properties", "patternProperties", "$defs", "defs"]);

/** 64-bit numbers, which protocol buffers write in quotes. */
const bounds = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);

/** Google's hints; other vendors refuse a schema that has them. */
const dropped = new Set(["nullable", "propertyOrdering", "example"]);

const isDropped = (name: string, value: unknown): boolean =>
  dropped.has(name) || (name === "format" && value === "enum") || value === "TYPE_UNSPECIFIED";

/** Converts Google's upper-case type names. */
const toType = (type: unknown): unknown => {
  const lower = (word: unknown) => (typeof word === "string" ? word.toLowerCase() : word);
  return Array.isArray(type) ? type.map(lower) : lower(type);
};

const toNullable = (schema: JsonObject): JsonObject => ({
  ...schema,
  ...(typeof schema.type === "string" && { type: [schema.type, "null"] }),
  ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
});

const readAny = (value: unknown): unknown => (isJsonObject(value) ? readSchema(value) : value);

function readMember(name: string, value: unknown): unknown {
  if (name === "type") {
    return toType(value);
  }
  if (inner.has(name)) {
    return readAny(value);
  }
  if (lists.has(name) && Array.isArray(value)) {
    return value.map(readAny);
  }
  if (maps.has(name) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, readAny(schema)]));
  }
  return bounds.has(name) && typeof value === "string" ? Number(value) : value;
}

/** Converts Google's schema (a part of OpenAPI's, with types in upper case) to a JSON schema. */
export function readSchema(schema: JsonObject): JsonObject {
  const fields = inCamelCase(schema);
  const read = Object.fromEntries(
    Object.entries(fields)
      .filter(([name, value]) => !isDropped(name, value))
      .map(([name, value]) => [name, readMember(name, value)]),
  );
  return fields.nullable === true ? toNullable(read) : read;
}
