/** The form of a key: its values, their problems, and the request made from them. Pure. */

import { KeyTerms } from "@/server/access/schema";
import { parseMoney } from "@/server/base/money";
import type { KeyDetail, KeyInput } from "./key";

export const expiryPresets = ["never", "days30", "days90", "year", "custom"] as const;
export type Expiry = (typeof expiryPresets)[number] | "keep";

/** `customExpiry`: `YYYY-MM-DDTHH:mm` in the reader's zone. */
export type ExpiryDraft = { expiry: Expiry; customExpiry: string };

/** Everything as it is typed. */
export type KeyDraft = ExpiryDraft & {
  name: string;
  perMinute: string;
  atOnce: string;
  dailyCap: string;
  weeklyCap: string;
  cap: string;
  models: string[];
  tellsCost: boolean;
  cachesPrompts: boolean;
};

type DraftProblem =
  | "nameMissing"
  | "nameLong"
  | "perMinute"
  | "atOnce"
  | "cap"
  | "expiryMissing"
  | "expiryPast";
export type KeyProblems = Partial<Record<keyof KeyDraft, DraftProblem>>;

export const emptyDraft: KeyDraft = {
  name: "",
  expiry: "never",
  customExpiry: "",
  perMinute: "",
  atOnce: "",
  dailyCap: "",
  weeklyCap: "",
  cap: "",
  models: [],
  tellsCost: false,
  cachesPrompts: true,
};

type KeyDraftTerms = Pick<
  KeyDetail,
  | "name"
  | "expiresAt"
  | "requestsPerMinute"
  | "maxConcurrent"
  | "dailyCap"
  | "weeklyCap"
  | "monthlyCap"
  | "models"
  | "tellsCost"
  | "cachesPrompts"
>;

export const draftOf = (key: KeyDraftTerms): KeyDraft => ({
  name: key.name,
  // A key that expires keeps its exact moment unless the user chooses another.
  expiry: key.expiresAt === null ? "never" : "keep",
  customExpiry: "",
  perMinute: key.requestsPerMinute === null ? "" : String(key.requestsPerMinute),
  atOnce: key.maxConcurrent === null ? "" : String(key.maxConcurrent),
  dailyCap: key.dailyCap ?? "",
  weeklyCap: key.weeklyCap ?? "",
  cap: key.monthlyCap ?? "",
  models: key.models,
  tellsCost: key.tellsCost,
  cachesPrompts: key.cachesPrompts,
});

const presetDays: Partial<Record<Expiry, number>> = { days30: 30, days90: 90, year: 365 };
const DAY_MS = 86_400_000;

/** ISO 8601; null: never. undefined: unchanged, or the typed text is not a moment. */
export function expiryOf({ expiry, customExpiry }: ExpiryDraft, now: number): string | null | undefined {
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

/** The number in a field; null: empty. */
const countOf = (typed: string): number | null => {
  const text = typed.trim();
  return text === "" ? null : Number(/^\d+$/.test(text) ? text : Number.NaN);
};

const isFit = (field: keyof typeof KeyTerms.shape, value: unknown): boolean =>
  KeyTerms.shape[field].safeParse(value).success;

function nameProblem(name: string): DraftProblem | null {
  if (name.trim() === "") {
    return "nameMissing";
  }
  return isFit("name", name) ? null : "nameLong";
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

const capProblem = (typed: string): DraftProblem | null =>
  typed.trim() === "" || (parseMoney(typed) ?? 0n) > 0n ? null : "cap";

/** The problems that keep a draft from being sent, by field; empty if there are none. */
export function problemsOf(draft: KeyDraft, now = Date.now()): KeyProblems {
  const problems: Record<string, DraftProblem | null> = {
    name: nameProblem(draft.name),
    customExpiry: expiryProblem(draft, now),
    perMinute: isFit("requestsPerMinute", countOf(draft.perMinute)) ? null : "perMinute",
    atOnce: isFit("maxConcurrent", countOf(draft.atOnce)) ? null : "atOnce",
    dailyCap: capProblem(draft.dailyCap),
    weeklyCap: capProblem(draft.weeklyCap),
    cap: capProblem(draft.cap),
  };
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== null));
}

/** A draft without problems as the request. */
export function termsOf(draft: KeyDraft, now: number): KeyInput {
  const expiresAt = expiryOf(draft, now);
  return {
    name: draft.name.trim(),
    requestsPerMinute: countOf(draft.perMinute),
    maxConcurrent: countOf(draft.atOnce),
    dailyCap: draft.dailyCap.trim() || null,
    weeklyCap: draft.weeklyCap.trim() || null,
    monthlyCap: draft.cap.trim() || null,
    models: draft.models,
    tellsCost: draft.tellsCost,
    cachesPrompts: draft.cachesPrompts,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
