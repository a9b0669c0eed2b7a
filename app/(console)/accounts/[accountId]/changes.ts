/** What an operator may do to an account, as the address names it. */
export const changes = ["top-up", "quota", "limits", "rename", "disable", "enable", "erase"] as const;

export type AccountChange = (typeof changes)[number];
