/**
 * Members of a request that its upstream did not get, with the reason: the upstream's dialect has no such member; its
 * model does not take it; it has no such value; the gateway does not translate it.
 */
export const ignoredReasons = ["dialect", "model", "value", "unknown"] as const;
export type IgnoredReason = (typeof ignoredReasons)[number];

/** `member`: its name in the request, with dots between levels. */
export type IgnoredMember = { member: string; reason: IgnoredReason };
