import type { Nanos } from "@/server/base/money";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { AllowList } from "./keys/ip-allow-list";
import type { AccountLimits } from "./schema";

/** The caller's key and its permissions. */
export type Caller = {
  accountId: AccountId;
  keyId: KeyId;
  requestsPerMinute: number | null;
  /** Limit of concurrent calls, set by the owner. */
  maxConcurrent: number | null;
  /** The operator's limits on all of the account's keys together, and settings of the account. */
  account: Omit<AccountLimits, "outageAllowance"> & { storesResponses: boolean; priceGroupId: string | null };
  /** Public names of the models that it may call; empty: all. */
  models: readonly string[];
  /** Most that it may spend in a billing month, in nano-units. null: the key has no cap. */
  monthlyCap: Nanos | null;
  /** The same for a day and for a week of the billing zone. */
  dailyCap: Nanos | null;
  weeklyCap: Nanos | null;
  /** Answers include the call's cost, even if the client did not ask for it. */
  tellsCost: boolean;
  /** Prompts are marked for the vendor's cache if the client marks nothing. */
  cachesPrompts: boolean;
};

/** A caller before admission. */
export type KnownKey = Caller & {
  isEnabled: boolean;
  isAccountEnabled: boolean;
  expiresAt: Date | null;
  allowList: AllowList;
  /** If the offered secret was replaced by a rotation: until when it is accepted. null: it is the current secret. */
  secretUntil: Date | null;
};
