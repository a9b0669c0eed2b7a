import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalCidr, plainAddress } from "./cidr";

describe("the canonical form of a rule", () => {
  test.each([
    ["10.0.0.5/8", "10.0.0.0/8"],
    ["10.0.0.5", "10.0.0.5"],
    ["10.0.0.5/32", "10.0.0.5"],
    [" 10.0.0.5 ", "10.0.0.5"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8:0::1/32", "2001:db8::/32"],
    ["2001:db8::1", "2001:db8::1"],
    ["::/0", "::/0"],
    ["::1", "::1"],
    ["::ffff:10.0.0.5", "10.0.0.5"],
    ["::ffff:10.0.0.5/104", "10.0.0.0/8"],
    ["fe80::1%eth0", "fe80::1"],
    // Not the IPv4 address 1.2.3.4: only `::ffff:1.2.3.4` is.
    ["::1.2.3.4", "::102:304"],
  ])("%s is %s", (text, canonical) => {
    expect(canonicalCidr(text)).toBe(canonical);
  });

  test.each([
    ...["", "localhost", "010.0.0.1", "1", "10.0.0.0/33", "10.0.0.0/-1"],
    ...["10.0.0.0/8/8", "10.0.0.0/", "::/129", "::ffff:10.0.0.5/8", "10.0.0"],
    ...["0x0a.0.0.1", "64:ff9b::010.0.0.1", "::1.2.3.04"],
  ])("does not exist for %s", (text) => {
    expect(canonicalCidr(text)).toBeNull();
  });

  test("is its own canonical form", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4Extended(), fc.ipV6(), fc.ipV4()), fc.nat(128), (address, bits) => {
        const canonical = canonicalCidr(`${address}/${bits}`);
        expect(canonical === null ? null : canonicalCidr(canonical)).toBe(canonical);
      }),
    );
  });
});

/** Texts similar to addresses: real ones, and these with a character changed, dropped or doubled. */
const nearAddress = fc
  .tuple(
    fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom("::", "1::", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8")),
    fc.nat(45),
    fc.constantFrom("", ":", "::", ".", "0", "a", "g", "1.2.3.4", " "),
    fc.nat(2),
  )
  .map(([address, at, change, drop]) => address.slice(0, at) + change + address.slice(at + drop));

test("a text is an address if Node says so", () => {
  fc.assert(
    fc.property(
      nearAddress.filter((text) => text === text.trim()),
      (text) => {
        expect(plainAddress(text) !== null).toBe(isIP(text) !== 0);
      },
    ),
    { numRuns: 5_000 },
  );
});
