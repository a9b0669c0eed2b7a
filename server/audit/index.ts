/**
 * Audit: who changed what. Hides how a change is told by its difference and kept. Promises that an entry stands or
 * falls with its change (it is written in the same transaction), that nothing here removes one or alters it but to
 * forget a person, and that no entry holds a secret.
 */
export { type Action, actions } from "./actions";
export { ERASED, findUserByEmail, findUserById, forgetAccount, forgetUser, listUsersOf } from "./erase";
export { type ChangeEntry, exportChanges, listChanges } from "./list";
export { type Actor, type Change, recordChange } from "./record";
