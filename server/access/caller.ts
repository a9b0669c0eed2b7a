import type { AccountId, KeyId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import type { AllowList } from "./ip-allow-list";
import type { AccountLimits } from "./schema";

/** Who is calling, and what the key may do. */
export type Caller = {
  accountId: AccountId;
  keyId: KeyId;
  requestsPerMinute: number | null;
  /** Calls under way at a time, by the owner's word. */
  maxConcurrent: number | null;
  /** The operator's limits on all of the account's keys together, and what is said of the account itself. */
  account: AccountLimits & { storesResponses: boolean; priceGroupId: string | null };
  /** Public names of the models that it may call; empty: any. */
  models: readonly string[];
  /** What it may spend in a billing month, in nano-units. null: whatever the account has. */
  monthlyCap: Nanos | null;
  /** Likewise in a day and in a week of the billing zone. */
  dailyCap: Nanos | null;
  weeklyCap: Nanos | null;
  /** Its answers say what they cost, unasked. */
  tellsCost: boolean;
  /** Its prompts are marked for their vendor's cache where the client marks nothing. */
  cachesPrompts: boolean;
};

/** A caller who has yet to be admitted. */
export type KnownKey = Caller & {
  isEnabled: boolean;
  isAccountEnabled: boolean;
  expiresAt: Date | null;
  allowList: AllowList;
  /** The secret that was offered is the one before a rotation: until when it is taken. null: it is the key's own. */
  secretUntil: Date | null;
};
