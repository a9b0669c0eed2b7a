import { useDeferredValue, useMemo, useReducer } from "react";
import { reviewRules } from "@/server/access/keys/allow-list-review";
import { editRules, isWrong, startRules, storedRules } from "./rules";

/**
 * An allow-list that is being edited. Its review may lag behind the typing for a moment, so that a long list stays
 * fast.
 */
export function useAllowList(initial: readonly string[]) {
  const [{ rows, focus }, edit] = useReducer(editRules, initial, startRules);
  const reviewed = useDeferredValue(rows);
  const review = useMemo(() => reviewRules(reviewed.map(({ text }) => text)), [reviewed]);
  return {
    rows,
    focus,
    edit,
    /** The review of `reviewed`, row by row. */
    review,
    reviewed,
    /** Whether the list can be saved. */
    isReady: reviewed === rows && !review.some(isWrong),
    stored: useMemo(() => storedRules(review), [review]),
  };
}

export type AllowList = ReturnType<typeof useAllowList>;
