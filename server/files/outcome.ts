import { isDeepStrictEqual } from "node:util";
import type { DesiredObject } from "./desired";
import type { Kind, Members } from "./kind";
import type { Place } from "./problem";

/** A member that differs. Members of a new object have no `before`. `note`: the words for a secret. */
export type Difference = { member: string; before?: unknown; after?: unknown; note?: string };

export type Action = "create" | "change" | "none" | "remove" | "disable";

/** The difference between an object and the files, or a change that was made. */
export type Outcome = {
  action: Action;
  title: string;
  place: Place | null;
  differences: readonly Difference[];
  advice: string | null;
};

export const differencesOf = (before: Members, after: Members): Difference[] =>
  Object.keys(after)
    .filter((member) => !isDeepStrictEqual(before[member], after[member]))
    .map((member) => ({ member, before: before[member] ?? null, after: after[member] }));

/** The members of a new object that the files name. */
export const namedOf = ({ kind, members }: DesiredObject, after: Members): Difference[] =>
  Object.keys(members)
    .filter((member) => member !== kind.name && Object.hasOwn(after, member))
    .map((member) => ({ member, after: after[member] }));

/** The action for an object that no file names any more. */
export const pruneAction = ({ prune }: Kind): Action => (prune.enabled === null ? "remove" : "disable");
