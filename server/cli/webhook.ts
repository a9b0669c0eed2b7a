import type { Status } from "@/server/domain/enums";
import { listDeliveries, listWebhooks } from "@/server/notifications";
import { webhookOperations } from "@/server/operations";
import { accountOf } from "./account-flag";
import { type Command, type CommandContext, type FlagValues, many, need, text, UsageError } from "./command";
import { changing, operate } from "./operate";
import { shown } from "./render";

const account: Command["flags"] = { account: { type: "string" } };
const target: Command["flags"] = { ...account, webhook: { type: "string", required: true } };
const events: Command["flags"] = { event: { type: "string", multiple: true } };

/** The account of the webhook; null: the operators'. */
const whose = async (context: CommandContext, values: FlagValues) =>
  (await accountOf(context, values)) ?? null;

const targetOf = async (context: CommandContext, values: FlagValues) => ({
  accountId: await whose(context, values),
  webhookId: need(values, "webhook"),
});

type WebhookInput = typeof webhookOperations.create.input._input;
/** As written: the operation refuses an unknown event. */
const eventsOf = (values: FlagValues) => many(values, "event") as WebhookInput["events"];

/** The status that the flags request. */
function statusOf(values: FlagValues): Status | undefined {
  if (values.enable === true && values.disable === true) {
    throw new UsageError("use either --enable or --disable");
  }
  if (values.enable === true) {
    return "active";
  }
  return values.disable === true ? "disabled" : undefined;
}

export const webhookCommands: Record<string, Command> = {
  create: {
    summary:
      "Create a webhook for events of an account, or of all accounts: --event quota.threshold --event video.completed; its secret is shown only once",
    flags: { ...account, ...events, url: { type: "string", required: true } },
    run: changing(async (context, values) => {
      const { id, secret } = await operate(context, webhookOperations.create, {
        accountId: await whose(context, values),
        url: need(values, "url"),
        events: eventsOf(values),
      });
      return { id, secret };
    }),
  },
  list: {
    summary: "List the webhooks of an account, or of the operators",
    flags: account,
    run: async (context, values) =>
      (await listWebhooks(context.db, { accountId: await whose(context, values) })).map((webhook) =>
        shown(webhook),
      ),
  },
  update: {
    summary: "Change a webhook's URL or events; --enable or --disable it",
    flags: {
      ...{ ...target, ...events, url: { type: "string" } },
      ...{ enable: { type: "boolean" }, disable: { type: "boolean" } },
    },
    run: changing(async (context, values) => {
      const chosen = eventsOf(values);
      return shown(
        await operate(context, webhookOperations.update, {
          ...(await targetOf(context, values)),
          ...{ url: text(values, "url"), status: statusOf(values) },
          ...(chosen.length > 0 && { events: chosen }),
        }),
      );
    }),
  },
  rotate: {
    summary: "Rotate the secret of a webhook; for 24 hours deliveries are signed with both",
    flags: target,
    run: changing(async (context, values) => {
      const webhook = await targetOf(context, values);
      const { id, secret } = await operate(context, webhookOperations.rotate, webhook);
      return { id, secret };
    }),
  },
  delete: {
    summary: "Delete a webhook and its delivery history",
    flags: target,
    run: changing(async (context, values) =>
      shown(await operate(context, webhookOperations.remove, await targetOf(context, values))),
    ),
  },
  test: {
    summary: "Send a test event to a webhook",
    flags: target,
    run: changing(async (context, values) =>
      shown(await operate(context, webhookOperations.test, await targetOf(context, values))),
    ),
  },
  deliveries: {
    summary: "List the latest deliveries of a webhook and their results",
    flags: target,
    run: async (context, values) =>
      (await listDeliveries(context.db, await targetOf(context, values))).map(({ body: _, ...delivery }) =>
        shown(delivery),
      ),
  },
  redeliver: {
    summary: "Send a delivery again",
    flags: { ...target, delivery: { type: "string", required: true } },
    run: changing(async (context, values) =>
      shown(
        await operate(context, webhookOperations.redeliver, {
          ...(await targetOf(context, values)),
          deliveryId: need(values, "delivery"),
        }),
      ),
    ),
  },
};
