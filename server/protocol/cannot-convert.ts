import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import { isJsonObject, type JsonObject } from "./fields";

/**
 * Throws cannotConvert (400): leaving it out would change what the call means. Another channel of the model, whose
 * dialect is the client's, may take it. `why`: one of `details`.
 */
export function cannotConvert(why: Texts): never {
  throw new GatewayError("cannotConvert", why);
}

export const requireText = (value: unknown, field: string): string =>
  typeof value === "string" ? value : cannotConvert(details.mustBeText(field));

/** A text that may be left out, "" then. */
export const optionalText = (value: unknown, field: string): string => requireText(value ?? "", field);

/** An object that may be left out, one without members then. */
export function optionalFields(value: unknown, field: string): JsonObject {
  const given = value ?? {};
  return isJsonObject(given) ? given : cannotConvert(details.mustBeObject(field));
}

/** A list of objects that may be left out, an empty one then. */
export function optionalList(value: unknown, field: string): JsonObject[] {
  const given = value ?? [];
  return Array.isArray(given) && given.every(isJsonObject)
    ? given
    : cannotConvert(details.mustBeObjects(field));
}
