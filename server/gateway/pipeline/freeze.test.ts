import { expect, test } from "vitest";
import { GatewayError } from "@/server/base/errors";
import { refuseLate } from "./freeze";

/** The refusal of a call that has waited so long, where ten seconds are the most. */
function refusalAfter(waitedMs: number): unknown {
  try {
    return refuseLate(waitedMs, 10_000);
  } catch (error) {
    return error;
  }
}

test("a call that has waited for longer than the limit is a 503 that may be sent again, and says how long it waited", () => {
  const refusal = refusalAfter(10_001);
  expect(refusal).toBeInstanceOf(GatewayError);
  expect(refusal).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect((refusal as GatewayError).cause).toEqual(new Error("the call waited 10001 ms for its turn"));
});

test("a call that has waited for as long as the limit is paid for", () => {
  expect(refusalAfter(10_000)).toBeUndefined();
});
