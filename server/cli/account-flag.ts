import { getAccountByNameOrId } from "@/server/access";
import type { AccountId } from "@/server/domain/ids";
import { type CommandContext, type FlagValues, text } from "./command";

/** The account that `--account` names, by name or identifier; undefined if it is not given. Throws Refusal. */
export async function accountOf({ db }: CommandContext, values: FlagValues): Promise<AccountId | undefined> {
  const nameOrId = text(values, "account");
  return nameOrId === undefined ? undefined : (await getAccountByNameOrId(db, nameOrId)).id;
}
