/** The scalar members of requests, read from one dialect and written for another, and their guards. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import type { Texts } from "@/server/base/language";
import type { Capabilities } from "./capabilities";
import { isJsonObject, type JsonObject } from "./fields";
import { isListOf } from "./json/object";
import {
  type ClientDialect,
  type Dialect,
  type Guard,
  isMetadata,
  namesIn,
  type ScalarName,
  scalarEntries,
  scalarMembers,
  type Target,
} from "./scalar-members";

/** The scalar values of a call, independent of its dialect. Left out: the client named none, or one that no other has. */
export type Scalars = Partial<Record<ScalarName, unknown>>;

const texts = z
  .custom<string[]>(isListOf((value: unknown): value is string => typeof value === "string"))
  .meta({ type: "array", items: { type: "string" } });

/** Not zod's record, which leaves out a member named `__proto__`. */
export const metadataSchema = z.custom<Record<string, string>>(isMetadata).meta({
  type: "object",
  propertyNames: { type: "string", maxLength: 64 },
  additionalProperties: { type: "string", maxLength: 512 },
  maxProperties: 16,
});

/** Far above the answer of any model. */
const MOST_TOKENS = 100_000_000;

/** `name`: the member, for the refusal. */
function guardOf(guard: Guard, name: string): { schema: z.ZodType; explanation: Texts } {
  switch (guard.kind) {
    case "number":
      return {
        schema: z.number().min(guard.min).max(guard.max),
        explanation: errorMessages.mustBeNumber(name, guard),
      };
    case "integer":
      return {
        schema: z.number().int().min(guard.min).max(guard.max),
        explanation: errorMessages.mustBeInteger(name, guard),
      };
    case "tokens":
      return {
        schema: z.number().int().min(guard.min).max(MOST_TOKENS),
        explanation:
          guard.min === 0 ? errorMessages.mustNotBeNegative(name) : errorMessages.mustBePositive(name),
      };
    case "notNegative":
      return { schema: z.number().min(0), explanation: errorMessages.mustNotBeNegative(name) };
    case "text":
      return { schema: z.string().max(guard.max), explanation: errorMessages.invalid(name) };
    case "texts":
      return {
        schema: guard.orText ? z.union([z.string(), texts]) : texts,
        explanation: errorMessages.mustBeTexts(name),
      };
    case "metadata":
      return { schema: metadataSchema, explanation: errorMessages.metadata() };
  }
}

const leafOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

/** The guards of a dialect's scalar members, by their last name, and the refusals of wrong values. */
export function scalarGuards(dialect: ClientDialect) {
  const guards = scalarEntries.flatMap(([, member]) => {
    const guard = member.guards?.[dialect];
    return guard ? namesIn(member, dialect).map((name) => [leafOf(name), guardOf(guard, name)] as const) : [];
  });
  return {
    shape: Object.fromEntries(guards.map(([name, { schema }]) => [name, schema.nullish()])),
    explanations: Object.fromEntries(guards.map(([name, { explanation }]) => [name, explanation])),
  };
}

/** The value at a name with dots. undefined: none. */
export function valueAt(fields: unknown, name: string): unknown {
  let value: unknown = fields;
  for (const part of name.split(".")) {
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

const optionalObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** Reads the scalar members of a client's request. */
export function readScalars(dialect: ClientDialect, fields: JsonObject): Scalars {
  const values: Scalars = {};
  for (const [row, member] of scalarEntries) {
    const read = namesIn(member, dialect).map((name) => member.read?.(valueAt(fields, name)) ?? null);
    const first = read.find((value) => value !== null);
    if (first !== undefined) {
      values[row] = first;
    }
  }
  return values;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A value on the wire. undefined: the upstream's dialect has none for it. */
function wireValue(row: ScalarName, target: Target): unknown {
  const value = target.values[row];
  const { write } = scalarMembers[row];
  return value === undefined || !write ? value : write(value as never, target);
}

type UpstreamTakes = { dialect: Dialect; capabilities: Capabilities };

/**
 * Writes the scalar members for an upstream, except for those that its dialect or its model does not take. `shared`:
 * members of the body that some of them belong into.
 */
export function writeScalars(
  values: Scalars,
  { dialect, capabilities }: UpstreamTakes,
  shared: JsonObject = {},
): JsonObject {
  const body = { ...shared };
  const target = { dialect, capabilities, values, hash };
  for (const [row, member] of scalarEntries) {
    const [name] = namesIn(member, dialect);
    const isTaken = member.takes?.(target) !== false && !capabilities.refusedMembers.includes(row);
    if (name === undefined || !isTaken || member.isMoot?.(values[row], dialect)) {
      continue;
    }
    const [parent = "", child] = name.split(".");
    const value = wireValue(row, target);
    if (value !== undefined) {
      body[parent] = child === undefined ? value : { ...optionalObject(body[parent]), [child]: value };
    }
  }
  return body;
}

/** Whether an upstream's dialect has the member, and a value for the client's. */
export const hasWireValue = (
  row: ScalarName,
  values: Scalars,
  { dialect, capabilities }: UpstreamTakes,
): boolean => wireValue(row, { dialect, capabilities, values, hash }) !== undefined;
