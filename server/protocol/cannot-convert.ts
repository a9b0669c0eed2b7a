import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import { isJsonObject, type JsonObject } from "./fields";

/**
 * Throws cannotConvert (400): without this part the call would mean something else. Another channel of the model that
 * speaks the client's dialect may take the call. `why`: one of `errorMessages`.
 */
export function cannotConvert(why: Texts): never {
  throw new GatewayError("cannotConvert", why);
}

export const requireText = (value: unknown, field: string): string =>
  typeof value === "string" ? value : cannotConvert(errorMessages.mustBeText(field));

/** Returns a text; a missing one is "". */
export const optionalText = (value: unknown, field: string): string => requireText(value ?? "", field);

/** Returns an object; a missing one has no members. */
export function optionalFields(value: unknown, field: string): JsonObject {
  const fields = value ?? {};
  return isJsonObject(fields) ? fields : cannotConvert(errorMessages.mustBeObject(field));
}

/** Returns a list of objects; a missing one is empty. */
export function optionalList(value: unknown, field: string): JsonObject[] {
  const list = value ?? [];
  return Array.isArray(list) && list.every(isJsonObject)
    ? list
    : cannotConvert(errorMessages.mustBeObjects(field));
}
