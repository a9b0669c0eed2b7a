/**
 * Maps names between the declarations (camelCase) and the wire (snake_case): the admin API and configuration files. The
 * JSON Schema of a declaration says which members are names: a key that is data (a model's name, say) stays as it is.
 */
import type { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { snakeCase } from "@/server/base/snake-case";

/** A JSON Schema as zod prints it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

const alternativesOf = (schema: JsonSchema): JsonSchema[] => [
  ...(schema.anyOf ?? []).filter(isSchema),
  ...(schema.oneOf ?? []).filter(isSchema),
];

/** The members of an object's schema, from all its alternatives. */
export function membersOf(schema: JsonSchema): Map<string, JsonSchema> {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    isSchema(member) ? [[name, member] as const] : [],
  );
  return new Map([...alternativesOf(schema).flatMap((alternative) => [...membersOf(alternative)]), ...own]);
}

/** The schema of the items of a list. */
export function schemaOfItem(schema: JsonSchema): JsonSchema {
  const { items } = schema;
  const own = isSchema(items) && !Array.isArray(items) ? items : undefined;
  return (
    own ??
    alternativesOf(schema)
      .map(schemaOfItem)
      .find((item) => Object.keys(item).length > 0) ??
    {}
  );
}

/** The schema of the values of an object whose keys are data. */
export const schemaOfEntry = ({ additionalProperties }: JsonSchema): JsonSchema =>
  isSchema(additionalProperties) ? additionalProperties : {};

type Rename = (name: string, members: Map<string, JsonSchema>) => string;

function renamed(value: unknown, schema: JsonSchema, rename: Rename): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => renamed(item, schemaOfItem(schema), rename));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const members = membersOf(schema);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = rename(key, members);
      const member = members.get(name) ?? members.get(key) ?? schemaOfEntry(schema);
      return [name, renamed(inner, member, rename)];
    }),
  );
}

/** Converts a value to the names of the wire. */
export const toWire = (value: unknown, schema: JsonSchema): unknown =>
  renamed(value, schema, (name, members) => (members.has(name) ? snakeCase(name) : name));

/**
 * Converts a request to the names of the declarations. Throws invalidParameters (400) for a name that the API does not
 * have.
 */
export const fromWire = (value: object, schema: JsonSchema): Record<string, unknown> =>
  renamed(value, schema, (wireName, members) => {
    const name = [...members.keys()].find((memberName) => snakeCase(memberName) === wireName);
    if (name === undefined && members.size > 0) {
      throw new GatewayError("invalidParameters", errorMessages.unknownMember(wireName.slice(0, 100)));
    }
    return name ?? wireName;
  }) as Record<string, unknown>;

/**
 * Converts a query string, in which every value is text. Throws invalidParameters (400) for a name that occurs twice.
 */
export function fromQuery(query: URLSearchParams, schema: JsonSchema): Record<string, unknown> {
  const twice = [...query.keys()].find((name, index, names) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new GatewayError("invalidParameters", errorMessages.invalid(twice.slice(0, 100)));
  }
  const read = ([name, text]: [string, string]) => {
    const member = [...membersOf(schema)].find(([memberName]) => snakeCase(memberName) === name)?.[1];
    const isNumber = member?.type === "integer" || member?.type === "number";
    return [name, isNumber && /^-?\d{1,15}$/.test(text) ? Number(text) : text];
  };
  return fromWire(Object.fromEntries([...query].map(read)), schema);
}

/**
 * Keywords that say nothing: the bounds that zod gives every integer, and a pattern that `format` says in one line
 * instead of five.
 */
const isIdle = (name: string, value: unknown, { format }: JsonSchema): boolean =>
  name === "$schema" ||
  value === Number.MIN_SAFE_INTEGER ||
  value === Number.MAX_SAFE_INTEGER ||
  (name === "pattern" && format !== undefined);

function inWire(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inWire);
  }
  return isSchema(value) ? wireSchema(value) : value;
}

/** Converts a schema to the names of the API, as OpenAPI 3.1 has it. */
export function wireSchema(schema: JsonSchema): JsonSchema {
  const { properties, required } = schema;
  const entries = Object.entries(schema).filter(([name, value]) => !isIdle(name, value, schema));
  return {
    ...Object.fromEntries(entries.map(([name, value]) => [name, inWire(value)])),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [snakeCase(name), inWire(member)]),
      ),
    }),
    ...(required && { required: required.map(snakeCase) }),
  } as JsonSchema;
}
