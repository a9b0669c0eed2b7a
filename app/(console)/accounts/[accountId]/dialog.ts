import type { Account } from "../account";

/** What each dialog of the account page is given. */
export type DialogProps = { account: Account; onClose: () => void };
