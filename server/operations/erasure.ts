/**
 * Erasure: personal data is removed in every room at once or in none. The ledger's entries stay as they are: they name
 * accounts, keys and models by identifier, and no people. docs/data.md says what is stored where.
 */
import { z } from "zod";
import { eraseAccount, eraseUser, getUser } from "@/server/access";
import { ERASED, findUserById, forgetAccount, forgetUser, listUsersOf } from "@/server/audit";
import { forgetMaker, hasFrozen } from "@/server/billing";
import { eraseWords } from "@/server/calls";
import { forgetPricer } from "@/server/catalog";
import { Refusal } from "@/server/domain/refusal";
import { eraseAnswers } from "@/server/idempotency";
import { forgetLabelledOf } from "@/server/labels";
import { eraseNews } from "@/server/notifications";
import { eraseResponses } from "@/server/responses";
import { eraseTasks } from "@/server/videos";
import { operation, type TxContext } from "./operation";
import { AccountId, Id } from "./schema";

async function forget({ db, actor }: TxContext, user: { id: string; email: string }): Promise<void> {
  const { id: userId, email } = user;
  await eraseUser(db, { userId, email, by: actor.userId });
  await forgetUser(db, { userId, email });
  await forgetPricer(db, { email, erased: ERASED });
  await forgetMaker(db, { email, erased: ERASED });
  await forgetLabelledOf(db, userId);
}

/** Erases a user, present or removed. Removes them, and their e-mail and addresses from the audit log. */
export const erasePerson = operation({
  needs: "accounts.write",
  input: z.strictObject({ userId: Id }),
  run: async (call, { userId }) => {
    const removed = await findUserById(call.db, userId);
    // Throws Refusal.
    const { email, accountId } = removed
      ? { email: removed.email, accountId: removed.accountId }
      : await getUser(call.db, { userId });
    await forget(call, { id: userId, email });
    return { action: "user.erase", accountId, target: { id: userId, name: ERASED }, result: null };
  },
});

/** Erases a disabled account that has nothing under way, with all its users. */
export const eraseCustomer = operation({
  needs: "accounts.write",
  input: z.strictObject({ accountId: AccountId }),
  run: async (call, { accountId }) => {
    const { db, recall } = call;
    const { users } = await eraseAccount(db, accountId);
    await recall(accountId);
    if (await hasFrozen(db, accountId)) {
      throw new Refusal(
        "requests or video tasks are still in progress: wait for them, or cancel them",
        "accountBusy",
      );
    }
    // Users who were removed before have left their e-mail in the audit log.
    const people = [...users, ...(await listUsersOf(db, accountId))];
    for (const user of new Map(people.map((person) => [`${person.id} ${person.email}`, person])).values()) {
      await forget(call, user);
    }
    await forgetLabelledOf(db, accountId);
    await eraseNews(db, accountId);
    await eraseTasks(db, accountId);
    await eraseResponses(db, accountId);
    await eraseAnswers(db, accountId);
    await eraseWords(db, accountId);
    await forgetAccount(db, accountId);
    return { action: "account.erase", accountId, target: { id: accountId, name: ERASED }, result: null };
  },
});
