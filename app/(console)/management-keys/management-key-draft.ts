/** What stands in the form of a management key, and what it comes to. Pure. */
import {
  type DraftProblems,
  emptyDraft as emptyKeyDraft,
  expiryOf,
  type KeyDraft,
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

/** Those of an API key with the same name and expiry, and nothing else. */
export const problemsOf = (draft: ManagementKeyDraft): DraftProblems =>
  keyProblemsOf({ ...emptyKeyDraft, ...draft });

/** What the server is told. Only of a draft without problems. */
export const termsOf = (draft: ManagementKeyDraft, now: number): ManagementKeyTerms => ({
  name: draft.name.trim(),
  isReadOnly: draft.isReadOnly,
  expiresAt: expiryOf(draft, now) ?? null,
});
