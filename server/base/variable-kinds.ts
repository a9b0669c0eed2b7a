/** Kinds of values that several variables have, or whose rule is long (`variables.ts`). */
import { z } from "zod";
import { readDatabaseUrl, type ServerRole } from "./database-url";
import { parseMoney } from "./money";

/** A whole number from text, within bounds. */
export const integer = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

/** A whole number within bounds whose default depends on the machine (`server/runtime/limits.ts`). */
export const limit = (min: number, max: number) => z.coerce.number().int().min(min).max(max).optional();

export const timeZone = z.string().refine((zone) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== "";
  } catch {
    return false;
  }
}, "is not an IANA time zone");

export const secret = z
  .string()
  .min(32, "must have at least 32 characters (openssl rand -hex 32)")
  .optional();

/**
 * Whether the text is an origin as browsers send it, so that it can match. Desktop programs and extensions have their
 * own schemes.
 */
export const isOrigin = (text: string): boolean =>
  text === "*" ||
  (/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text) &&
    URL.canParse(text) &&
    ["null", text].includes(new URL(text).origin));

/** Whether the URL uses https or this machine: on an unencrypted connection a third party could forge an identity. */
export function isPrivateWay(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
}

/** An amount above zero, as a decimal. */
export const amount = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((text) => (parseMoney(text) ?? 0n) > 0n, "is not an amount above zero, such as 5 or 0.5");

/** `roles`: the permitted roles of a server. */
export const databaseUrl = (roles: ServerRole[]) =>
  z
    .string()
    .superRefine((text, { addIssue }) => {
      try {
        const { role } = readDatabaseUrl(text);
        if (!roles.includes(role)) {
          addIssue("target_session_attrs has to be read-write or primary: what is served is written, too");
        }
      } catch (error) {
        addIssue((error as Error).message);
      }
    })
    .optional();
