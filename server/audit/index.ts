/**
 * Audit: who changed what. Hides how a change is reduced to its difference and stored. Promises that an entry is
 * written in the transaction of its change, that entries are never removed, and altered only to erase a person, and
 * that no entry holds a secret.
 */
export { type Action, actions } from "./actions";
export { ERASED, findUserByEmail, findUserById, forgetAccount, forgetUser, listUsersOf } from "./erase";
export { type ChangeEntry, exportChanges, listChanges } from "./list";
export { type Actor, type Change, recordChange } from "./record";
