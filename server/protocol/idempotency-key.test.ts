import { describe, expect, test } from "vitest";
import { readIdempotencyKey } from "./idempotency-key";

describe("an Idempotency-Key", () => {
  const read = (key: string) => readIdempotencyKey(new Headers({ "idempotency-key": key }));

  test("is 1 to 255 printable characters, or absent", () => {
    expect(readIdempotencyKey(new Headers())).toBeNull();
    expect(read("8e03978e-40d5-43dd-bc93-6894a57f9324")).toBe("8e03978e-40d5-43dd-bc93-6894a57f9324");
    expect(read("a b")).toBe("a b");
    expect(read("x".repeat(255))).toHaveLength(255);
  });

  test.each(["", "x".repeat(256), "clé"])("%j is refused", (key) => {
    expect(() => read(key)).toThrow(/Idempotency-Key/);
  });
});
