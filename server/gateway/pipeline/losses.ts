import type { UpstreamPlan } from "@/server/protocol/upstream-plan";
import type { AuthedCall } from "./call";

/** Most names in a header. */
const MOST_NAMES = 20;
const MAX_CHARACTERS = 64;

/** A client's name for a tool, reduced to the characters that a header may have. */
const plain = (name: string): string => name.replace(/[^\w.-]/g, "").slice(0, MAX_CHARACTERS) || "tool";

/** A member's name that may stand in a header. Any text may be a name; the others are only counted as more. */
const isPlain = (name: string): boolean => /^[\w.$-]+$/.test(name) && name.length <= MAX_CHARACTERS;

function ignoredNames({ ignored }: UpstreamPlan): string[] {
  const names = ignored.map(({ member }) => member).filter(isPlain);
  const shown = names.slice(0, MOST_NAMES);
  return shown.length < ignored.length ? [...shown, "+more"] : shown;
}

const droppedNames = ({ dropped }: UpstreamPlan): string[] =>
  [...new Set(dropped.map(plain))].slice(0, MOST_NAMES);

/** The headers that name a call's losses, to repeat them with its stored answer. */
export const lossHeaders = ({ responseHeaders }: Pick<AuthedCall, "responseHeaders">) =>
  Object.fromEntries(
    ["x-dropped", "x-tollgate-ignored"].flatMap((name) => {
      const value = responseHeaders[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Names the parts in a header. An upstream that failed before this one may have got less. */
function setNames(headers: Record<string, string>, header: string, names: string[]): void {
  if (names.length > 0) {
    headers[header] = names.join(", ");
  } else {
    delete headers[header];
  }
}

/** Names the parts of the request that the answering upstream did not get, to the client and in the call's record. */
export function noteLosses(
  { responseHeaders, logFields }: Pick<AuthedCall, "responseHeaders" | "logFields">,
  plan: UpstreamPlan,
): void {
  setNames(responseHeaders, "x-dropped", droppedNames(plan));
  setNames(responseHeaders, "x-tollgate-ignored", ignoredNames(plan));
  delete logFields.dropped;
  delete logFields.ignored;
  if (plan.dropped.length > 0) {
    logFields.dropped = responseHeaders["x-dropped"];
  }
  if (plan.ignored.length > 0) {
    logFields.ignored = plan.ignored.map(({ member, reason }) => ({
      ...{ member: member.slice(0, MAX_CHARACTERS), reason },
    }));
  }
}
