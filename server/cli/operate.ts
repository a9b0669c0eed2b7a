import type { z } from "zod";
import { identityOf } from "@/server/access";
import type { Actor } from "@/server/audit";
import { systemClock } from "@/server/base/clock";
import { languageOf } from "@/server/base/language";
import { createLog } from "@/server/base/log";
import { publicAddress } from "@/server/base/own-address";
import { vaultOf } from "@/server/base/vault";
import { recallEscrows } from "@/server/billing";
import { transaction } from "@/server/db";
import { currentPeriod } from "@/server/domain/period";
import { parseOrRefuse } from "@/server/domain/refusal";
import { type Door, type Operation, runOperation } from "@/server/operations";
import { createPayments } from "@/server/payments";
import type { CommandContext, Run } from "./command";
import { withRooms } from "./with-rooms";

/** The operator's commands have no user here, and no address. */
const commandActor: Actor = { userId: null, name: "command", address: null };

/** The dependencies of operations, for a command. */
export function doorOf(context: CommandContext, actor: Actor = commandActor): Door {
  const { config, secrets, db, database } = context;
  const vault = vaultOf(secrets);
  const period = () => currentPeriod(config.BILLING_TIMEZONE, systemClock());
  return {
    config,
    secrets,
    db,
    vault,
    identity: identityOf({ db: database, secrets, vault }),
    withVideos: (act) => withRooms(context, ({ videos }) => act(videos)),
    payments: createPayments({ db: database, config, log: createLog("silent"), period }),
    recall: async (accountId) => void (await recallEscrows(database, { accountId })),
    period,
    actor,
    origin: publicAddress(config),
    language: languageOf(null),
  };
}

/** Runs an operation with input from flags. Throws Refusal. */
export const operate = async <Input extends z.ZodObject, Result>(
  context: CommandContext,
  operation: Operation<Input, Result>,
  input: z.input<Input>,
): Promise<Result> => await runOperation(doorOf(context), operation, parseOrRefuse(operation.input, input));

/** A command that changes something. Its reads, changes and result are one transaction. */
export const changing =
  (run: Run): Run =>
  (context, values) =>
    transaction(context.db, (tx) => run({ ...context, db: tx }, values));
