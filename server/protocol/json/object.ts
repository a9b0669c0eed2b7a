import type { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import type { JsonObject } from "../fields";

/** The 400 for a parameter that violates the spec. */
export const refuse = (detail: Texts) => new GatewayError("invalidParameters", detail);

/** The first 400 of spec section 7 that all POST endpoints share. */
export function requireModel(fields: JsonObject): void {
  if (fields.model === undefined || fields.model === null || fields.model === "") {
    throw new GatewayError("missingModel");
  }
}

/** Reads the model of a body that has no schema. Throws missingModel and invalidParameters. */
export function readModel(fields: JsonObject): string {
  requireModel(fields);
  const { model } = fields;
  if (typeof model !== "string" || model.length > 256) {
    throw refuse(errorMessages.mustBeText("model"));
  }
  return model;
}

type ParseFailure = { issues: readonly { path: readonly PropertyKey[] }[] };

/** The 400 for the first field that a schema refused, in the words of `explanations`. */
export function explainFailure(error: ParseFailure, explanations: Record<string, Texts>): GatewayError {
  const field = String(error.issues[0]?.path[0]);
  return refuse((Object.hasOwn(explanations, field) && explanations[field]) || errorMessages.invalid(field));
}

/**
 * Returns a function that checks a request by its schema and throws the 400 for the first wrong member. A schema looks
 * up each of its fifty members, and a request has five: only those are checked, unless one is wrong or missing. The
 * schema must not change values.
 */
export function memberReader<Schema extends z.ZodObject>(
  schema: Schema,
  explanations: Record<string, Texts>,
): (fields: JsonObject) => z.infer<Schema> {
  const members = new Map(Object.entries(schema.shape));
  const required = [...members].flatMap(([name, member]) =>
    member.safeParse(undefined).success ? [] : [name],
  );
  return (fields) => {
    const isWrong = (name: string) => members.get(name)?.safeParse(fields[name]).success === false;
    if (required.some((name) => !Object.hasOwn(fields, name)) || Object.keys(fields).some(isWrong)) {
      const { error } = schema.safeParse(fields);
      if (error) {
        throw explainFailure(error, explanations);
      }
    }
    return fields as z.infer<Schema>;
  };
}

/** Whether a value is an array of such items. Stops at the first wrong item; a schema would collect all of them. */
export const isListOf =
  <Item>(isItem: (item: unknown) => item is Item) =>
  (value: unknown): value is Item[] =>
    Array.isArray(value) && value.every(isItem);
