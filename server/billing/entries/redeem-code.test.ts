import { expect, test } from "vitest";
import { hashCode, mintCode, readCode } from "./redeem-code";

test("no two codes are the same, and each is read correctly in lower case, with spaces and with confused letters", () => {
  const codes = Array.from({ length: 2_000 }, mintCode);
  expect(new Set(codes).size).toBe(2_000);
  for (const code of codes) {
    expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$/);
    const digits = code.replaceAll("-", "");
    expect(readCode(code)).toBe(digits);
    expect(readCode(` ${code.toLowerCase().replaceAll("-", " ")} `)).toBe(digits);
    expect(readCode(code.replaceAll("0", "O").replaceAll("1", "l"))).toBe(digits);
  }
});

test("a text that cannot be a code is refused", () => {
  for (const typed of ["", "-", "3F9A", `${mintCode()}0`, mintCode().replace(/^./, "U"), "兑".repeat(20)]) {
    expect(readCode(typed)).toBeNull();
  }
});

test("two codes have two hashes, and a hash does not contain its code", () => {
  const [first, second] = [mintCode(), mintCode()].map((code) => readCode(code) ?? "");
  expect(hashCode(first ?? "")).not.toBe(hashCode(second ?? ""));
  expect(hashCode(first ?? "")).not.toContain(first);
});
