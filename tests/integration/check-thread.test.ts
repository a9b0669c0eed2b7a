import { expect, test } from "vitest";
import { createCheckThread } from "@/server/gateway/body/parse-worker";

const bodyOf = (value: object) => Buffer.from(JSON.stringify(value));
const call = (more: object = {}) =>
  bodyOf({ model: "m", messages: [{ role: "user", content: "hi" }], ...more });

test("a body that kills the checking thread fails alone, and the bodies that waited with it are checked all the same", async () => {
  // The thread itself needs less than 16 MB, and the large body more than 50. V8 lets a heap grow somewhat beyond its
  // limit.
  const { check } = createCheckThread({ heapMb: 28 });
  // Within all limits of a body.
  const many = Array.from({ length: 75_000 }, (_, index) => ({ [`a${index}`]: "x".repeat(300) }));
  const bodies = [call(), call({ metadata: many }), call(), call({ model: "last" }), Buffer.from("{")];
  const ends = await Promise.allSettled(bodies.map((body) => check("chat", body)));
  expect(ends).toMatchObject([
    { status: "fulfilled", value: { facts: { model: "m" } } },
    { status: "rejected", reason: { kind: "unavailable" } },
    { status: "fulfilled", value: { facts: { model: "m" } } },
    { status: "fulfilled", value: { facts: { model: "last" } } },
    { status: "rejected", reason: { kind: "invalidJson" } },
  ]);
});
