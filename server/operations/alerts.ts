/** Alerts by e-mail: their recipients and events. */
import { z } from "zod";
import { getUser } from "@/server/access";
import { languages } from "@/server/base/language";
import { eventTypes } from "@/server/domain/enums";
import { Refusal } from "@/server/domain/refusal";
import {
  getRecipient,
  type Recipient,
  readUnsubscribeToken,
  sendTestMail,
  setRecipient,
} from "@/server/notifications";
import { refuseForeign } from "./events";
import { operation, type TxContext } from "./operation";
import { AccountId, Id } from "./schema";

export const Whose = AccountId.nullable()
  .default(null)
  .describe("null or omitted: operators, who are notified for every account");
const target = { accountId: Whose, userId: Id };

const terms = ({ events, language }: Recipient) => ({ events, language });

function refuseWithoutServer({ config }: TxContext): void {
  if (config.SMTP_URL === undefined) {
    throw new Refusal("email is not set up: SMTP_URL is not set", "mailNotSetUp");
  }
}

/** Sets a user's events; an empty `events` means none. */
export const set = operation({
  needs: "notifications.write",
  input: z.strictObject({
    ...target,
    events: z
      .array(z.enum(eventTypes))
      .max(eventTypes.length)
      .transform((events) => [...new Set(events)]),
    language: z.enum(languages).optional().describe("Omitted: unchanged"),
  }),
  run: async (call, { events, language, ...ids }) => {
    refuseForeign(ids.accountId, events);
    const before = await getRecipient(call.db, ids);
    if (events.length > 0) {
      refuseWithoutServer(call);
    }
    const after = await setRecipient(call.db, { ...ids, events, language });
    return {
      action: "alert.set",
      accountId: ids.accountId,
      target: { id: after.userId, name: after.email },
      before: terms(before),
      after: terms(after),
      result: after,
    };
  },
});

/** Queues a test e-mail, which is combined with the user's other events of these minutes. */
export const test = operation({
  needs: "notifications.write",
  input: z.strictObject(target),
  run: async (call, ids) => {
    const recipient = await getRecipient(call.db, ids);
    refuseWithoutServer(call);
    await sendTestMail(call.db, { ...ids, now: new Date() });
    return {
      action: "alert.test",
      accountId: ids.accountId,
      target: { id: recipient.userId, name: recipient.email },
      result: recipient,
    };
  },
});

/**
 * Ends a person's alerts by the signed link of an e-mail. Not throttled by what it reads: a token that we signed is no
 * guess, and every other attempt counts as one.
 */
export const leave = operation({
  needs: "link",
  input: z.strictObject({ token: z.string().min(1).max(200) }),
  run: async ({ db, secrets, identity, actor: { address } }, { token }) => {
    const takeBack = await identity.attempts.begin({ address });
    const userId = readUnsubscribeToken(secrets, token);
    if (userId === null) {
      throw new Refusal("this link is not valid", "unsubscribeInvalid");
    }
    await takeBack();
    const { id, email, accountId } = await getUser(db, { userId });
    const ids = { userId, accountId };
    const before = await getRecipient(db, ids);
    const after = await setRecipient(db, { ...ids, events: [] });
    return {
      action: "alert.set",
      actor: { userId: id, name: email, address },
      accountId,
      target: { id, name: email },
      before: terms(before),
      after: terms(after),
      result: { email },
    };
  },
});
