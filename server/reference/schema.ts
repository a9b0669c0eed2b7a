/** JSON Schema as OpenAPI 3.1 has it, and short words for it. */
import { z } from "zod";

export type Schema = { readonly [keyword: string]: unknown };

export const text: Schema = { type: "string" };
export const integer: Schema = { type: "integer" };
export const number: Schema = { type: "number" };
export const truth: Schema = { type: "boolean" };
/** Any JSON value. */
export const anything: Schema = {};

export const oneOf = (...values: readonly (string | number | null)[]): Schema => ({ enum: values });
export const listOf = (items: Schema): Schema => ({ type: "array", items });
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });

export const constant = (value: string): Schema => ({ const: value });

/** An object that may have other members, too. `optional`: the members that may be missing; `*`: all of them. */
export const object = (properties: Record<string, Schema>, optional: readonly string[] = []): Schema => {
  const isOptional = (name: string) => optional.includes("*") || optional.includes(name);
  const required = Object.keys(properties).filter((name) => !isOptional(name));
  return { type: "object", properties, ...(required.length > 0 && { required }) };
};

/** An object whose `type` decides its members. Other types are allowed without a schema, because vendors have more. */
export const kindsOf = (kinds: Record<string, Schema>): Schema => ({
  type: "object",
  properties: { type: text },
  required: ["type"],
  anyOf: [
    ...Object.entries(kinds).map(([kind, schema]) => ({
      ...schema,
      properties: { type: constant(kind), ...(schema.properties as Record<string, Schema>) },
    })),
    { properties: { type: { not: oneOf(...Object.keys(kinds)) } } },
  ],
});

const isSchema = (value: unknown): value is Schema =>
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
  const told = Object.entries(value).filter(([keyword, inner]) => !isIdle(keyword, inner));
  return Object.fromEntries(told.map(([keyword, inner]) => [keyword, withoutIdle(inner)]));
}

/** The JSON Schema of a validating schema's input. */
export const printed = (schema: z.ZodType): Schema =>
  withoutIdle(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })) as Schema;

/** The members of an object's schema, by name. */
export const membersOf = ({ properties }: Schema): [name: string, schema: Schema][] =>
  Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, member]) =>
    isSchema(member) ? [[name, member]] : [],
  );
