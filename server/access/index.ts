/**
 * Access: which keys may call, and how often, and which users may use the console. Hides secrets (only their hash is
 * stored), second factors, the cache of keys and its invalidation, address matching behind proxies, and rate windows
 * shared by all replicas. Guarantees that every process refuses a disabled key or account within one second, that
 * guesses of a password or a code are limited, and that a code is accepted once.
 */
export {
  type Account,
  type AccountFilter,
  countAccounts,
  createAccount,
  findAccountNames,
  getAccount,
  getAccountByNameOrId,
  listAccountPage,
  listAccounts,
  listGroupMembers,
  lockAccount,
  renameAccount,
  setAccountLimits,
  setAccountStatus,
  setCarriesTopups,
  setPriceGroup,
  setStoresResponses,
} from "./accounts";
export { createGatekeeper, type Gatekeeper } from "./admit";
export { withoutOurSecrets } from "./api-key";
export type { Caller } from "./caller";
export { changePassword } from "./change-password";
export { getConsoleKey } from "./console-key";
export { discoverProvider, type ProviderMetadata } from "./discovery";
export { writeDurably } from "./durable-write";
export { eraseAccount, eraseUser } from "./erase";
export { claimAnswer, forgetAnswers, keepAnswer, type Once } from "./idempotent-answers";
export { type AllowList, clientAddress, compileAllowList } from "./ip-allow-list";
export { findKeyNames, listCappedKeys, listKeyPage, listLimitedAccounts } from "./key-lists";
export {
  type ApiKey,
  deleteKey,
  getKey,
  issueKey,
  listKeys,
  lockKey,
  lockKeys,
  retireOldSecret,
  rotateKey,
  setKeyStatus,
  setKeysStatus,
  updateKey,
} from "./keys";
export { anthropicLimitHeaders } from "./limit-headers";
export { issueLink, linkPath, redeemLink } from "./links";
export { createLiveCalls, type LiveCalls } from "./live-calls";
export {
  issueManagementKey,
  listManagementKeys,
  type ManagementKey,
  type Manager,
  revokeManagementKey,
} from "./management-keys";
export { type Device, endOwnSession, isToBeSeen, listOwnSessions, noteSeen } from "./own-sessions";
export {
  enterByProvider,
  linkIdentity,
  unlinkIdentity,
  unlinkOwnIdentity,
} from "./provider-identities";
export { type IdentityDeps, identityOf, proveSession } from "./reauthentication";
export { resealTotpSecrets } from "./reseal";
export { beginTotp, disableTotp, enableTotp, renewRecoveryCodes } from "./second-factor";
export {
  endSession,
  findSession,
  findSessionUser,
  SESSION_SECONDS,
  type SessionUser,
  signOutEverywhere,
} from "./sessions";
export { isPasswordInForce, type SignInResult, signIn } from "./sign-in";
export { createSignInLimiter } from "./sign-in-limiter";
export {
  removeUser,
  resetPassword,
  resetTotp,
  setRole,
  setUserStatus,
  signOutUser,
  unlinkUser,
} from "./user-changes";
export {
  createUser,
  getUser,
  getUserByEmail,
  hasOperator,
  listUsers,
  type UserEntry,
} from "./users";
