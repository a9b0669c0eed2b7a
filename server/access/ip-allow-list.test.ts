import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalCidr } from "./cidr";
import { clientAddress, compileAllowList } from "./ip-allow-list";

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
