import { MAX_LIMITS } from "@/server/access/schema";
import { type FlagValues, text, wholeNumber } from "./command";

/** The flag of each limit of a key or an account. */
const flags = {
  requestsPerMinute: "rpm",
  tokensPerMinute: "tpm",
  maxConcurrent: "max-concurrent",
} as const satisfies Record<keyof typeof MAX_LIMITS, string>;

type Limit = keyof typeof flags;

export const limitFlags = (limits: readonly Limit[]) =>
  Object.fromEntries(limits.map((name) => [flags[name], { type: "string" as const }]));

/** The limits in the flags: null for `none`, which removes a limit; a limit without a flag is left out. */
export const limitsOf = <Name extends Limit>(
  values: FlagValues,
  limits: readonly Name[],
): { [Each in Name]?: number | null } =>
  Object.fromEntries(
    limits.flatMap((name) => {
      const value = text(values, flags[name]);
      const bounds = { min: 1, max: MAX_LIMITS[name] };
      return value === undefined
        ? []
        : [[name, value === "none" ? null : wholeNumber(values, flags[name], bounds)]];
    }),
  ) as { [Each in Name]?: number | null };
