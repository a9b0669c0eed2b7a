import type { z } from "zod";
import { type Door, type Operation, runOperation, type Seat } from "@/server/operations";
import { identityDeps } from "./identity";
import {
  type Context,
  operatorProcedure,
  ownerProcedure,
  publicProcedure,
  sessionProcedure,
  userProcedure,
} from "./trpc";

const doorOf = ({ runtime, viewer, address, origin }: Context): Door => ({
  ...runtime,
  identity: identityDeps(runtime),
  withVideos: (act) => act(runtime.videos),
  period: runtime.billing.period,
  actor: { userId: viewer?.id ?? null, name: viewer?.email ?? "", address },
  origin: runtime.config.PUBLIC_URL ?? origin,
});

/** `input`: what the operation's schema made of it, which tRPC's types lose where the schema is a parameter. */
const run = <Input extends z.ZodObject, Result>(
  ctx: Context,
  operation: Operation<Input, Result>,
  input: unknown,
) => runOperation(doorOf(ctx), operation, input as z.output<Input>);

/**
 * The seat is the declaration's to give: a procedure that lets in somebody else is our mistake, and fails the build.
 */
function checkSeat({ by }: { by: readonly Seat[] }, seat: Seat): void {
  if (!by.includes(seat)) {
    throw new Error(`this operation is not for the seat ${seat}`);
  }
}

/** An operation on an account's own things by its owner: the account is the session's, and not to be named. */
export function ownerOperation<
  Input extends z.ZodObject<{ accountId: z.ZodType<string | undefined> }>,
  Result,
>(operation: Operation<Input, Result>) {
  checkSeat(operation, "owner");
  // What `omit` makes of a shape that is not known yet has no type of its own.
  const own = operation.input.omit({ accountId: true }) as unknown as z.ZodType<
    Omit<z.output<Input>, "accountId">,
    Omit<z.input<Input>, "accountId">
  >;
  return ownerProcedure
    .meta({ isOperation: true })
    .input(own)
    .mutation(({ ctx, input }) => run(ctx, operation, { ...input, accountId: ctx.accountId }));
}

const operationsBy =
  (seat: Seat, procedure: typeof sessionProcedure) =>
  <Input extends z.ZodObject, Result>(operation: Operation<Input, Result>) => {
    checkSeat(operation, seat);
    return procedure
      .meta({ isOperation: true })
      .input(operation.input)
      .mutation(({ ctx, input }) => run(ctx, operation, input));
  };

/** An operation by those who run the gateway. */
export const operatorOperation = operationsBy("operator", operatorProcedure);

/** What somebody changes about their own sign-in. */
export const ownOperation = operationsBy("self", userProcedure);

/** The one change of somebody who may do nothing else before it. */
export const firstOperation = operationsBy("self", sessionProcedure);

/** For whoever shows a link, with or without a session. */
export function linkOperation<Input extends z.ZodObject, Result>(operation: Operation<Input, Result>) {
  checkSeat(operation, "link");
  return publicProcedure
    .meta({ isOperation: true })
    .input(operation.input)
    .mutation(({ ctx, input }) => run(ctx, operation, input));
}
