import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allowsAddress, MAX_RULES, reviewRules, splitRules } from "./allow-list-review";
import { canonicalCidr } from "./cidr";
import { compileAllowList } from "./ip-allow-list";

const family = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6");

/** Addresses that share many leading bits, so that ranges overlap. */
const address = fc.oneof(
  fc.tuple(fc.constantFrom(10, 11), fc.nat(1), fc.nat(255), fc.nat(255)).map((parts) => parts.join(".")),
  fc
    .tuple(fc.constantFrom("2001:db8", "2001:db9"), fc.nat(3), fc.nat(65_535))
    .map(([network, subnet, host]) => `${network}:${subnet}::${host.toString(16)}`),
);
const rule = fc
  .tuple(address, fc.nat(128))
  .map(([host, bits]) => `${host}/${isIP(host) === 4 ? Math.min(bits, 32) : bits}`);

describe("a review of rules", () => {
  test.each([
    ["10.0.0.5/8", { canonical: "10.0.0.0/8", error: null, hadHostBits: true }],
    ["10.0.0.0/8", { canonical: "10.0.0.0/8", error: null, hadHostBits: false }],
    ["10.0.0.5", { canonical: "10.0.0.5", error: null, hadHostBits: false }],
    ["2001:DB8::1/32", { canonical: "2001:db8::/32", error: null, hadHostBits: true }],
    ["010.0.0.1", { canonical: null, error: "octal" }],
    ["10.0.0.010/24", { canonical: null, error: "octal" }],
    ["10.0.0.0/33", { canonical: null, error: "bad_prefix" }],
    ["10.0.0.0/x", { canonical: null, error: "bad_prefix" }],
    ["10.0.0.0/8/8", { canonical: null, error: "bad_prefix" }],
    ["10.0.0.1-10.0.0.9", { canonical: null, error: "span" }],
    ["10.0.0.*", { canonical: null, error: "span" }],
    ["10.0.0.256", { canonical: null, error: "not_an_address" }],
    ["example.com", { canonical: null, error: "not_an_address" }],
    ["/8", { canonical: null, error: "not_an_address" }],
    [" ", { canonical: null, error: "empty" }],
  ])("reads %s", (input, expected) => {
    expect(reviewRules([input])).toMatchObject([{ input, ...expected }]);
  });

  test("splits a pasted text at spaces, line ends, commas and semicolons", () => {
    expect(splitRules("10.0.0.1, 10.0.0.2;10.0.0.3\r\n\t10.0.0.4，10.0.0.5、10.0.0.6\n")).toEqual(
      [1, 2, 3, 4, 5, 6].map((host) => `10.0.0.${host}`),
    );
    expect(reviewRules("10.0.0.1\nx").map((row) => row.error)).toEqual([null, "not_an_address"]);
  });

  test("names the first of equal rules, and the widest range that contains a rule", () => {
    const rows = reviewRules([
      ...["10.0.0.5", "10.0.0.0/24", "::ffff:10.0.0.5"],
      ...["10.1.2.3/8", "::/0", "10.0.0.9/8"],
    ]);
    expect(rows.map((row) => row.duplicateOf)).toEqual([null, null, 0, null, null, 3]);
    expect(rows.map((row) => row.containedIn)).toEqual([3, 3, 3, null, null, null]);
  });

  test("refuses rules beyond the limit", () => {
    const rows = reviewRules(
      Array.from({ length: MAX_RULES + 2 }, (_, index) => `10.0.${index >> 8}.${index & 255}`),
    );
    expect(rows.flatMap((row, index) => (row.error === "too_many" ? [index] : []))).toEqual([
      MAX_RULES,
      MAX_RULES + 1,
    ]);
  });

  test("marks only rules whose removal does not change the allowed addresses", () => {
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 2, maxLength: 12 }),
        fc.array(address, { minLength: 1 }),
        (rules, from) => {
          const rows = reviewRules(rules);
          const needed = rows.flatMap((row) =>
            row.duplicateOf === null && row.containedIn === null && row.canonical !== null
              ? [row.canonical]
              : [],
          );
          for (const each of from) {
            expect(allowsAddress(needed, each)).toBe(allowsAddress(rules, each));
          }
        },
      ),
    );
  });
});

describe("a rule allows the same addresses in the browser as on the server", () => {
  test("which are those that Node's BlockList allows", () => {
    fc.assert(
      fc.property(rule, address, (cidr, from) => {
        const [network = "", bits] = cidr.split("/");
        const list = new BlockList();
        list.addSubnet(network, Number(bits), family(network));
        const expected = family(network) === family(from) && list.check(from, family(from));
        expect(allowsAddress([cidr], from)).toBe(expected);
        const canonical = canonicalCidr(cidr) ?? "";
        expect(allowsAddress([canonical], from)).toBe(expected);
        expect(compileAllowList([canonical]).allows(from)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test("no rules allow any address, and a rule does not allow an unknown one", () => {
    expect(allowsAddress([], null)).toBe(true);
    expect(allowsAddress(["0.0.0.0/0", "::/0"], null)).toBe(false);
    expect(allowsAddress(["0.0.0.0/0"], "::1")).toBe(false);
    expect(allowsAddress(["10.0.0.0/8"], "::ffff:10.9.9.9")).toBe(true);
  });
});
