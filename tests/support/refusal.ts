import { expect } from "vitest";
import { type ErrorKind, GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import { type Reason, reasons } from "@/server/domain/refusal";

/** The error that a client gets. Throws if `run` does not throw one. */
export function refusalOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) {
      return error;
    }
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Expects a room's refusal for this reason, or an error of this kind. */
export const expectRefused = (work: Eventual<unknown>, how: Reason | ErrorKind): Promise<void> =>
  expect(work).rejects.toMatchObject({ [how in reasons ? "reason" : "kind"]: how });

/** A step's promise, also if the step returns its value, or throws, at once. */
export const promised = async <T>(step: () => Eventual<T>): Promise<T> => await step();
