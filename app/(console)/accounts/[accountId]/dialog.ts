import type { Account } from "../account";

/** The properties of every dialog of the account page. */
export type DialogProps = { account: Account; onClose: () => void };
