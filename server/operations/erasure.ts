/**
 * Erasure: what tells of a person is forgotten, in every room at once or in none. The ledger's entries stay as they
 * are: they name accounts, keys and models by identifier, and nobody. docs/data.md says what is where.
 */
import { z } from "zod";
import { eraseAccount, eraseUser, getUser } from "@/server/access";
import { ERASED, findUserById, forgetAccount, forgetUser } from "@/server/audit";
import { Refusal } from "@/server/base/refusal";
import { hasFrozen } from "@/server/billing";
import { eraseCallers } from "@/server/calls";
import { forgetPricer } from "@/server/catalog";
import { eraseAnswers } from "@/server/idempotency";
import { eraseWebhooks } from "@/server/notifications";
import { eraseResponses } from "@/server/responses";
import { eraseTasks } from "@/server/videos";
import { type Call, operation } from "./operation";
import { AccountId, Id } from "./schema";

async function forget({ db, actor }: Call, user: { id: string; email: string }): Promise<void> {
  const { id: userId, email } = user;
  await eraseUser(db, { userId, email, by: actor.userId });
  await forgetUser(db, { userId, email });
  await forgetPricer(db, { email, erased: ERASED });
}

/** Somebody who may sign in or who could once. Removes them, and their e-mail and addresses from the audit log. */
export const erasePerson = operation({
  by: ["operator"],
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

/** A disabled account of which nothing is under way, with everybody who could sign in for it. */
export const eraseCustomer = operation({
  by: ["operator"],
  input: z.strictObject({ accountId: AccountId }),
  run: async (call, { accountId }) => {
    const { db, recall } = call;
    const { users } = await eraseAccount(db, accountId);
    await recall(accountId);
    if (await hasFrozen(db, accountId)) {
      throw new Refusal("calls or video tasks are under way: wait for them, or cancel them", "accountBusy");
    }
    for (const user of users) {
      await forget(call, user);
    }
    await eraseWebhooks(db, accountId);
    await eraseTasks(db, accountId);
    await eraseResponses(db, accountId);
    await eraseAnswers(db, accountId);
    await eraseCallers(db, accountId);
    await forgetAccount(db, accountId);
    return { action: "account.erase", accountId, target: { id: accountId, name: ERASED }, result: null };
  },
});
