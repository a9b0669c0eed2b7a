import { MOST } from "@/server/access/schema";
import { text, type Values, wholeNumber } from "./command";

/** The flag that says each limit, of a key or of an account. */
const flags = {
  requestsPerMinute: "rpm",
  tokensPerMinute: "tpm",
  maxConcurrent: "max-concurrent",
} as const satisfies Record<keyof typeof MOST, string>;

type Limit = keyof typeof flags;

export const limitFlags = (limits: readonly Limit[]) =>
  Object.fromEntries(limits.map((name) => [flags[name], { type: "string" as const }]));

/** What the flags say: null for `none`, which lifts a limit, and nothing of what is not named. */
export const limitsOf = <Name extends Limit>(
  values: Values,
  limits: readonly Name[],
): { [Each in Name]?: number | null } =>
  Object.fromEntries(
    limits.flatMap((name) => {
      const given = text(values, flags[name]);
      const bounds = { min: 1, max: MOST[name] };
      return given === undefined
        ? []
        : [[name, given === "none" ? null : wholeNumber(values, flags[name], bounds)]];
    }),
  ) as { [Each in Name]?: number | null };
