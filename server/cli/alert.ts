import { getUserByEmail } from "@/server/access";
import { languages } from "@/server/base/language";
import { listRecipients, type Recipient } from "@/server/notifications";
import { alertOperations } from "@/server/operations";
import { accountOf } from "./account-flag";
import { type Command, type CommandContext, type FlagValues, many, need, text, UsageError } from "./command";
import { changing, operate } from "./operate";
import { shown } from "./render";

const email: Command["flags"] = { email: { type: "string", required: true } };

/** The user that the flags name, with their account. Throws Refusal. */
async function targetOf({ db }: CommandContext, values: FlagValues) {
  const { id, accountId } = await getUserByEmail(db, need(values, "email"));
  return { userId: id, accountId };
}

type AlertInput = typeof alertOperations.set.input._input;

function languageIn(values: FlagValues): AlertInput["language"] {
  const value = text(values, "language");
  const language = languages.find((name) => name === value);
  if (value !== undefined && language === undefined) {
    throw new UsageError(`--language must be ${languages.join(" or ")}`);
  }
  return language;
}

const view = ({ events, ...recipient }: Recipient) => ({ ...shown(recipient), events: events.join(" ") });

export const alertCommands: Record<string, Command> = {
  list: {
    summary: "List email alerts by person, for an account or for operators",
    flags: { account: { type: "string" } },
    run: async (context, values) => {
      const accountId = (await accountOf(context, values)) ?? null;
      return (await listRecipients(context.db, { accountId })).map(view);
    },
  },
  set: {
    summary:
      "Set the email alerts of a person: --event quota.threshold --event video.failed; without --event: no alerts",
    flags: { ...email, event: { type: "string", multiple: true }, language: { type: "string" } },
    run: changing(async (context, values) =>
      view(
        await operate(context, alertOperations.set, {
          ...(await targetOf(context, values)),
          // As written: the operation refuses an unknown event.
          events: many(values, "event") as AlertInput["events"],
          language: languageIn(values),
        }),
      ),
    ),
  },
  test: {
    summary: "Send a test email to a person with email alerts",
    flags: email,
    run: changing(async (context, values) =>
      view(await operate(context, alertOperations.test, await targetOf(context, values))),
    ),
  },
};
