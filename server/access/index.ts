/**
 * Access: which keys may call, and how often, and which users may use the console. Hides secrets (only their hash is
 * stored), second factors, the cache of keys and its invalidation, address matching behind proxies, and rate windows
 * shared by all replicas. Guarantees that every process refuses a disabled key or account within one second, that
 * guesses of a password or a code are limited, and that a code is accepted once.
 */
export {
  renameAccount,
  setAccountLimits,
  setAccountStatus,
  setBuyer,
  setCarriesTopups,
  setPriceGroup,
  setStoresResponses,
} from "./account-changes";
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
} from "./accounts";
export type { Caller, KnownKey } from "./caller";
export { writeDurably } from "./durable-write";
export { eraseAccount, eraseUser } from "./erase";
export { looksLikeSecret, withoutOurSecrets } from "./keys/api-key";
export { getConsoleKey } from "./keys/console-key";
export { type KeyRow, listKeyRows } from "./keys/find-key";
export { claimAnswer, forgetAnswers, keepAnswer, type Once } from "./keys/idempotent-answers";
export { type AllowList, clientAddress, compileAllowList } from "./keys/ip-allow-list";
export { createKeptKeys } from "./keys/kept-keys";
export { findKeyNames, listCappedKeys, listKeyPage, listLimitedAccounts } from "./keys/key-lists";
export {
  type ApiKey,
  deleteKey,
  getKey,
  hasSecret,
  issueKey,
  listKeys,
  lockKey,
  lockKeys,
  retireOldSecret,
  rotateKey,
  setKeyStatus,
  setKeysStatus,
  updateKey,
} from "./keys/keys";
export {
  issueManagementKey,
  listManagementKeys,
  type ManagementKey,
  type Manager,
  revokeManagementKey,
} from "./keys/management-keys";
export { resealTotpSecrets } from "./keys/reseal";
export { createGatekeeper, type Gatekeeper } from "./limits/gatekeeper";
export { anthropicLimitHeaders } from "./limits/limit-headers";
export { createLiveCalls, type LiveCalls } from "./limits/live-calls";
export { changePassword } from "./people/change-password";
export { discoverProvider, type ProviderMetadata } from "./people/discovery";
export { issueLink, linkPath, redeemLink } from "./people/links";
export {
  type Device,
  endOwnSession,
  isToBeSeen,
  listOwnSessions,
  noteSeen,
  setLanguage,
} from "./people/own-sessions";
export {
  claimPasswordRequest,
  endPasswordRequest,
  issueRequestedLink,
  requestPassword,
} from "./people/password-requests";
export {
  enterByProvider,
  linkIdentity,
  unlinkIdentity,
  unlinkOwnIdentity,
} from "./people/provider-identities";
export { type IdentityDeps, identityOf, proveSession } from "./people/reauthentication";
export { beginTotp, disableTotp, enableTotp, renewRecoveryCodes } from "./people/second-factor";
export {
  endSession,
  findSession,
  findSessionUser,
  SESSION_SECONDS,
  type SessionUser,
  signOutEverywhere,
} from "./people/sessions";
export { isPasswordInForce, type SignInResult, signIn } from "./people/sign-in";
export { createSignInLimiter } from "./people/sign-in-limiter";
export {
  removeUser,
  resetPassword,
  resetTotp,
  setRole,
  setUserStatus,
  signOutUser,
  unlinkUser,
} from "./people/user-changes";
export {
  createUser,
  getUser,
  getUserByEmail,
  hasCustomer,
  hasOperator,
  listUsers,
  type UserEntry,
} from "./people/users";
