import { onTestFinished } from "vitest";
import { standInFront } from "@/server/runtime/shared-runtime";

/** Until the end of this test, Next's own server runs without our server in front. */
export function withoutFront(): void {
  Reflect.deleteProperty(globalThis, Symbol.for("tollgate.front"));
  onTestFinished(standInFront);
}
