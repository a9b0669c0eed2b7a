import { expect, test } from "vitest";
import { readClientRequestId, readTraceparent, readTracestate, writeTraceparent } from "./trace-context";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

test.each([
  [`00-${TRACE}-${PARENT}-01`, true],
  [`00-${TRACE}-${PARENT}-00`, false],
  [`00-${TRACE}-${PARENT}-03`, true],
  [`cc-${TRACE}-${PARENT}-01-what-comes-later`, true],
])("%s is read as a trace", (header, isSampled) => {
  expect(readTraceparent(header)).toEqual({ traceId: TRACE, parentId: PARENT, isSampled });
});

test.each([
  null,
  "",
  "00",
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-01-more`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${"0".repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE}-${PARENT}-01\n`,
  `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
])("%j is no trace", (header) => {
  expect(readTraceparent(header)).toBeNull();
});

test("a written trace is read back the same", () => {
  const context = { traceId: TRACE, parentId: PARENT, isSampled: true };
  expect(readTraceparent(writeTraceparent(context))).toEqual(context);
});

test("texts that do not fit a header or a log line are left out", () => {
  expect(readTracestate("vendor=1")).toBe("vendor=1");
  expect(readTracestate("a".repeat(513))).toBeNull();
  expect(readClientRequestId("order-7")).toBe("order-7");
  expect(readClientRequestId("two words")).toBeNull();
  expect(readClientRequestId("a".repeat(129))).toBeNull();
  expect(readClientRequestId("\u00e9")).toBeNull();
});
