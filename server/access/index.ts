/**
 * Access: who may call, and how often. Hides secrets (only their keyed hash is stored), the cache of keys and its
 * invalidation, address matching behind proxies, and rate windows shared by all replicas. Promises that a key or an
 * account that was switched off is refused by every process within one second.
 */
export { type Account, createAccount, getAccount, listAccounts, setAccountStatus } from "./accounts";
export { type Caller, createGatekeeper, type Gatekeeper } from "./admit";
export { clientAddress, compileAllowList } from "./ip-allow-list";
export { type ApiKey, deleteKey, issueKey, listKeys, setKeyStatus } from "./keys";
export { createSignIn, type SignIn } from "./sign-in";
export { createUser, findSessionUser, hasOperator, type User } from "./users";
