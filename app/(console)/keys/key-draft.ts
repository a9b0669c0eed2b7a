/** What stands in the form of a key, and what it comes to. Pure. */
import { parseMoney } from "@/server/base/money";
import type { KeyDetail, KeyTerms } from "./key";

export const expiryPresets = ["never", "days30", "days90", "year", "custom"] as const;
export type Expiry = (typeof expiryPresets)[number] | "keep";

/** Everything as it is typed. `customExpiry`: `YYYY-MM-DDTHH:mm` in the reader's zone. */
export type KeyDraft = {
  name: string;
  expiry: Expiry;
  customExpiry: string;
  perMinute: string;
  atOnce: string;
  cap: string;
  models: string[];
};

type DraftProblem =
  | "nameMissing"
  | "nameLong"
  | "perMinute"
  | "atOnce"
  | "cap"
  | "expiryMissing"
  | "expiryPast";
export type DraftProblems = Partial<Record<keyof KeyDraft, DraftProblem>>;

export const emptyDraft: KeyDraft = {
  name: "",
  expiry: "never",
  customExpiry: "",
  perMinute: "",
  atOnce: "",
  cap: "",
  models: [],
};

type Terms = Pick<
  KeyDetail,
  "name" | "expiresAt" | "requestsPerMinute" | "maxConcurrent" | "monthlyCap" | "models"
>;

export const draftOf = (key: Terms): KeyDraft => ({
  name: key.name,
  // A key that expires keeps its very moment unless somebody chooses another.
  expiry: key.expiresAt === null ? "never" : "keep",
  customExpiry: "",
  perMinute: key.requestsPerMinute === null ? "" : String(key.requestsPerMinute),
  atOnce: key.maxConcurrent === null ? "" : String(key.maxConcurrent),
  cap: key.monthlyCap ?? "",
  models: key.models,
});

const presetDays: Partial<Record<Expiry, number>> = { days30: 30, days90: 90, year: 365 };
const DAY_MS = 86_400_000;

/** ISO 8601; null: never. undefined: it stays as it is, or what stands in the field is no moment. */
export function expiryOf({ expiry, customExpiry }: KeyDraft, now: number): string | null | undefined {
  const days = presetDays[expiry];
  if (days !== undefined) {
    return new Date(now + days * DAY_MS).toISOString();
  }
  if (expiry !== "custom") {
    return expiry === "never" ? null : undefined;
  }
  const moment = new Date(customExpiry);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

const MAX_PER_MINUTE = 1_000_000;
const MAX_AT_ONCE = 100_000;

/** A whole number from 1, or nothing at all. */
function isLimit(typed: string, max: number): boolean {
  const text = typed.trim();
  const count = Number(text);
  return text === "" || (/^\d+$/.test(text) && count >= 1 && count <= max);
}

function nameProblem(name: string): DraftProblem | null {
  if (name.trim() === "") {
    return "nameMissing";
  }
  return name.trim().length > 100 ? "nameLong" : null;
}

function expiryProblem(draft: KeyDraft, now: number): DraftProblem | null {
  const moment = expiryOf(draft, now);
  if (draft.expiry !== "custom") {
    return null;
  }
  if (!moment) {
    return "expiryMissing";
  }
  return new Date(moment).getTime() <= now ? "expiryPast" : null;
}

/** What keeps a draft from being sent, by field; empty when nothing does. */
export function problemsOf(draft: KeyDraft, now = Date.now()): DraftProblems {
  const found: Record<string, DraftProblem | null> = {
    name: nameProblem(draft.name),
    customExpiry: expiryProblem(draft, now),
    perMinute: isLimit(draft.perMinute, MAX_PER_MINUTE) ? null : "perMinute",
    atOnce: isLimit(draft.atOnce, MAX_AT_ONCE) ? null : "atOnce",
    cap: draft.cap.trim() === "" || (parseMoney(draft.cap) ?? 0n) > 0n ? null : "cap",
  };
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== null));
}

/** What the server is told. Only of a draft without problems. */
export function termsOf(draft: KeyDraft, now: number): KeyTerms {
  const expiresAt = expiryOf(draft, now);
  return {
    name: draft.name.trim(),
    requestsPerMinute: draft.perMinute.trim() === "" ? null : Number(draft.perMinute),
    maxConcurrent: draft.atOnce.trim() === "" ? null : Number(draft.atOnce),
    monthlyCap: draft.cap.trim() || null,
    models: draft.models,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
