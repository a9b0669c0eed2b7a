import { onTestFinished } from "vitest";
import { standInFront } from "@/server/process/runtime";

/** Until the end of this test, Next's own server has no server of ours before it. */
export function withoutFront(): void {
  Reflect.deleteProperty(globalThis, Symbol.for("tollgate.front"));
  onTestFinished(standInFront);
}
