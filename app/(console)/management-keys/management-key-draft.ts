/** The form of a management key: its values, their problems, and the request made from them. Pure. */
import {
  emptyDraft as emptyKeyDraft,
  expiryOf,
  type KeyDraft,
  type KeyProblems,
  problemsOf as keyProblemsOf,
} from "../keys/key-draft";
import type { ManagementKeyTerms } from "./management-key";

export type ManagementKeyDraft = Pick<KeyDraft, "name" | "expiry" | "customExpiry"> & { isReadOnly: boolean };

export const emptyDraft: ManagementKeyDraft = {
  name: "",
  isReadOnly: false,
  expiry: "never",
  customExpiry: "",
};

/** The problems of an API key with the same name and expiry. */
export const problemsOf = (draft: ManagementKeyDraft): KeyProblems =>
  keyProblemsOf({ ...emptyKeyDraft, ...draft });

/** A draft without problems as the request. */
export const termsOf = (draft: ManagementKeyDraft, now: number): ManagementKeyTerms => ({
  name: draft.name.trim(),
  isReadOnly: draft.isReadOnly,
  expiresAt: expiryOf(draft, now) ?? null,
});
