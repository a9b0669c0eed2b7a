import { describe, expect, test } from "vitest";
import { clientAddress, compileAllowList } from "./ip-allow-list";

test("no rules allow any address, and a rule does not allow an unknown one", () => {
  expect(compileAllowList([]).allows(null)).toBe(true);
  expect(compileAllowList(["0.0.0.0/0", "::/0"]).allows(null)).toBe(false);
  expect(compileAllowList(["0.0.0.0/0"]).allows("::1")).toBe(false);
});

describe("the client's address", () => {
  const proxies = compileAllowList(["192.0.2.0/24", "127.0.0.1"]);
  test.each([
    ["198.51.100.1", "10.0.0.1", "198.51.100.1"],
    // If our proxy does not report the client, the client is unknown: the proxy's own address must not count as the
    // client's.
    ["192.0.2.1", null, null],
    ["192.0.2.1", "", null],
    ["192.0.2.1", "10.0.0.1", "10.0.0.1"],
    ["::ffff:192.0.2.1", "10.0.0.1", "10.0.0.1"],
    ["192.0.2.1", "1.1.1.1, 10.0.0.1", "10.0.0.1"],
    ["192.0.2.1", "10.0.0.1, 192.0.2.9", "10.0.0.1"],
    ["192.0.2.1", "10.0.0.1, junk", null],
    ["192.0.2.1", "unknown", null],
    ["192.0.2.1", "10.0.0.1:54321", "10.0.0.1"],
    ["192.0.2.1", "[2001:db8::1]:54321", "2001:db8::1"],
    ["192.0.2.1", "10.0.0.1:54321, 192.0.2.9:80", "10.0.0.1"],
    ["192.0.2.1", "10.0.0.1:x", null],
    ["192.0.2.1", `10.0.0.1${" ".repeat(16_000)}x`, null],
    ["192.0.2.1", Array(40).fill("192.0.2.9").join(), null],
    ["192.0.2.1", "[2001:db8::1]", "2001:db8::1"],
    [null, "10.0.0.1", null],
  ])("socket %s, forwarded for %s: %s", (peer, forwarded, address) => {
    expect(clientAddress(peer, forwarded, proxies)).toBe(address);
  });

  test("is the socket's if no proxy is trusted", () => {
    expect(clientAddress("192.0.2.1", "10.0.0.1", null)).toBe("192.0.2.1");
  });
});
