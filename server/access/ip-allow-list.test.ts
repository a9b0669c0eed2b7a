import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalCidr, clientAddress, compileAllowList } from "./ip-allow-list";

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
  ])("%s is %s", (text, canonical) => {
    expect(canonicalCidr(text)).toBe(canonical);
  });

  test.each([
    "",
    "localhost",
    "010.0.0.1",
    "1",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "::/129",
    "::ffff:10.0.0.5/8",
    "10.0.0",
  ])("%s is none", (text) => {
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

test("an address is in its own network at every length", () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.integer({ min: 0, max: 128 }), (address, bits) => {
      const rule = canonicalCidr(`${address}/${bits}`);
      expect(rule === null || compileAllowList([rule]).allows(address)).toBe(true);
    }),
  );
});

test("no rules allow any address, one rule allows no unknown address", () => {
  expect(compileAllowList([]).allows(null)).toBe(true);
  expect(compileAllowList(["0.0.0.0/0", "::/0"]).allows(null)).toBe(false);
  expect(compileAllowList(["0.0.0.0/0"]).allows("::1")).toBe(false);
});

describe("the client's address", () => {
  const proxies = compileAllowList(["192.0.2.0/24", "127.0.0.1"]);
  test.each([
    ["198.51.100.1", "10.0.0.1", "198.51.100.1"],
    ["192.0.2.1", null, "192.0.2.1"],
    ["192.0.2.1", "10.0.0.1", "10.0.0.1"],
    ["::ffff:192.0.2.1", "10.0.0.1", "10.0.0.1"],
    ["192.0.2.1", "1.1.1.1, 10.0.0.1", "10.0.0.1"],
    ["192.0.2.1", "10.0.0.1, 192.0.2.9", "10.0.0.1"],
    ["192.0.2.1", "10.0.0.1, junk", "192.0.2.1"],
    ["192.0.2.1", "[2001:db8::1]", "2001:db8::1"],
    [null, "10.0.0.1", null],
  ])("socket %s, forwarded for %s: %s", (peer, forwarded, address) => {
    expect(clientAddress(peer, forwarded, proxies)).toBe(address);
  });

  test("is the socket's when nobody is trusted", () => {
    expect(clientAddress("192.0.2.1", "10.0.0.1", null)).toBe("192.0.2.1");
  });
});
