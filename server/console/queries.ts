import type { z } from "zod";
import { readingFor } from "@/server/process/door";
import type { Query } from "@/server/queries";
import { permissionFor } from "./operations";
import { operatorProcedure, ownerProcedure } from "./trpc";

/** The names of an object without members are all texts, or none. */
type HasNoMembers<Input> = string extends keyof Input ? true : keyof Input extends never ? true : false;

/** What a procedure is called with: also by nothing, where nothing can be named. */
type Given<Output, Input> = z.ZodType<Output, HasNoMembers<Input> extends true ? Input | undefined : Input>;

function givenOf<Output, Input>(input: z.ZodObject): Given<Output, Input> {
  const given = Object.keys(input.shape).length === 0 ? input.prefault({}) : input;
  return given as unknown as Given<Output, Input>;
}

/** What an account's people read of it: the account is the session's, and not to be named. */
export function ownerQuery<Input extends z.ZodObject, Result>(query: Query<Input, Result>) {
  const { input, read } = query;
  const isOfAccount = "accountId" in input.shape;
  const own = isOfAccount ? input.omit({ accountId: true }) : input;
  return ownerProcedure(permissionFor(query, "owner"))
    .input(givenOf<Omit<z.output<Input>, "accountId">, Omit<z.input<Input>, "accountId">>(own))
    .query(({ ctx, input: given }) => {
      const asked = isOfAccount ? { ...given, accountId: ctx.accountId } : given;
      return read(readingFor(ctx.runtime, query), asked as z.output<Input>, "owner");
    });
}

/** What those who run the gateway read. */
export function operatorQuery<Input extends z.ZodObject, Result>(query: Query<Input, Result>) {
  const { input, read } = query;
  return operatorProcedure(permissionFor(query, "operator"))
    .input(givenOf<z.output<Input>, z.input<Input>>(input))
    .query(({ ctx, input: given }) =>
      read(readingFor(ctx.runtime, query), given as z.output<Input>, "operator"),
    );
}

/** The same of what is too long for an address. It is sent as changes are, and changes nothing. */
export function operatorPreview<Input extends z.ZodObject, Result>(query: Query<Input, Result>) {
  const { input, read } = query;
  return operatorProcedure(permissionFor(query, "operator"))
    .input(givenOf<z.output<Input>, z.input<Input>>(input))
    .mutation(({ ctx, input: given }) =>
      read(readingFor(ctx.runtime, query), given as z.output<Input>, "operator"),
    );
}
