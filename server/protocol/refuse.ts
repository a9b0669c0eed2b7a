import { GatewayError } from "@/server/errors";
import { type Fields, isFields } from "./fields";

/**
 * Throws cannotConvert (400): leaving it out would change what the call means. Another channel of the model, whose
 * dialect is the client's, may take it.
 */
export function refuse(field: string, reason: string): never {
  throw new GatewayError("cannotConvert", `${field} ${reason}`);
}

export const requireText = (value: unknown, field: string): string =>
  typeof value === "string" ? value : refuse(field, "必须是字符串");

/** A text that may be left out, "" then. */
export const optionalText = (value: unknown, field: string): string => requireText(value ?? "", field);

/** An object that may be left out, one without members then. */
export function optionalFields(value: unknown, field: string): Fields {
  const given = value ?? {};
  return isFields(given) ? given : refuse(field, "必须是对象");
}

/** A list of objects that may be left out, an empty one then. */
export function optionalList(value: unknown, field: string): Fields[] {
  const given = value ?? [];
  return Array.isArray(given) && given.every(isFields) ? given : refuse(field, "必须是对象数组");
}
