/** JSON Schema as OpenAPI 3.1 has it, and short words for it and for schemas that validate. */
import { z } from "zod";

export type OpenApiSchema = { readonly [keyword: string]: unknown };

export const text: OpenApiSchema = { type: "string" };
export const integer: OpenApiSchema = { type: "integer" };
export const number: OpenApiSchema = { type: "number" };
export const truth: OpenApiSchema = { type: "boolean" };
/** A file in a form. */
export const file: OpenApiSchema = { type: "string", format: "binary" };
/** A model's name, where a schema does not validate it. */
export const modelMember: OpenApiSchema = { type: "string", minLength: 1, maxLength: 256 };
/** Any JSON value. */
export const anything: OpenApiSchema = {};

export const modelName = z.string().min(1).max(256);
export const nonEmpty = z.string().min(1);

export const oneOf = (...values: readonly (string | number | null)[]): OpenApiSchema => ({ enum: values });
export const listOf = (items: OpenApiSchema): OpenApiSchema => ({ type: "array", items });
export const orNull = (schema: OpenApiSchema): OpenApiSchema => ({ anyOf: [schema, { type: "null" }] });

export const constant = (value: string): OpenApiSchema => ({ const: value });

/** An object that may have other members, too. `optional`: the members that may be missing; `*`: all of them. */
export const object = (
  properties: Record<string, OpenApiSchema>,
  optional: readonly string[] = [],
): OpenApiSchema => {
  const isOptional = (name: string) => optional.includes("*") || optional.includes(name);
  const required = Object.keys(properties).filter((name) => !isOptional(name));
  return { type: "object", properties, ...(required.length > 0 && { required }) };
};

export const moment: OpenApiSchema = { type: "string", format: "date-time" };

/** A page of a list, in OpenAI's and Anthropic's form. */
export const page = (data: OpenApiSchema) =>
  object({ data: listOf(data), has_more: truth, first_id: orNull(text), last_id: orNull(text) });

/** The answer to a deletion. */
export const deleted = (kind: string) =>
  object({ id: text, object: constant(kind), deleted: { const: true } });

/** An object whose `type` decides its members. Other types are allowed without a schema, because vendors have more. */
export const kindsOf = (kinds: Record<string, OpenApiSchema>): OpenApiSchema => ({
  type: "object",
  properties: { type: text },
  required: ["type"],
  anyOf: [
    ...Object.entries(kinds).map(([kind, schema]) => ({
      ...schema,
      properties: { type: constant(kind), ...(schema.properties as Record<string, OpenApiSchema>) },
    })),
    { properties: { type: { not: oneOf(...Object.keys(kinds)) } } },
  ],
});

const isSchema = (value: unknown): value is OpenApiSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keywords without information: the bounds of every integer, and defaults. */
const isIdle = (keyword: string, value: unknown): boolean =>
  keyword === "$schema" ||
  value === Number.MIN_SAFE_INTEGER ||
  value === Number.MAX_SAFE_INTEGER ||
  (keyword === "additionalProperties" && isSchema(value) && Object.keys(value).length === 0);

function withoutIdle(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutIdle);
  }
  if (!isSchema(value)) {
    return value;
  }
  const entries = Object.entries(value).filter(([keyword, inner]) => !isIdle(keyword, inner));
  return Object.fromEntries(entries.map(([keyword, inner]) => [keyword, withoutIdle(inner)]));
}

/** The JSON Schema of a validating schema's input. */
export const printed = (schema: z.ZodType): OpenApiSchema =>
  withoutIdle(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })) as OpenApiSchema;

/** The members of an object's schema, by name. */
export const membersOf = ({ properties }: OpenApiSchema): [name: string, schema: OpenApiSchema][] =>
  Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, member]) =>
    isSchema(member) ? [[name, member]] : [],
  );
