import fc from "fast-check";
import { expect, test } from "vitest";
import { returnAddress, signInAddress } from "./return-address";

const SITE = "https://console.example";

test("a sign-in returns to a page of the console with its query and its fragment", () => {
  expect(returnAddress("/requests?request=req_1&live=true")).toBe("/requests?request=req_1&live=true");
  expect(returnAddress("/channels/ch_1#test")).toBe("/channels/ch_1#test");
  expect(signInAddress("/keys?create=true")).toBe("/sign-in?to=%2Fkeys%3Fcreate%3Dtrue");
  expect(signInAddress("/")).toBe("/sign-in");
});

test.each([
  ...["https://evil.example/", "//evil.example", "/\\evil.example", "/\t/evil.example"],
  ...["/.//evil.example", "/..//evil.example", "\\\\evil.example", "javascript:alert(1)", "evil.example"],
  ...["/sign-in?to=/sign-in", "/api/export/requests", "/set-password#a-token", "/change-password", ""],
  null,
  ["/keys"],
])("%j is refused as a return address", (address) => {
  expect(returnAddress(address)).toBe("/");
});

test("a sign-in never leads to another site, whatever its address asks for", () => {
  const piece = fc.constantFrom(
    ...["/", "\\", ".", "..", ":", "@", "?", "#"],
    ...["%2f", "\t", "\n", " ", "evil.example", "https", "keys"],
  );
  const addresses = fc.oneof(
    fc.string(),

    fc.array(piece).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(addresses, (address) => {
      expect(new URL(returnAddress(address), `${SITE}/sign-in`).origin).toBe(SITE);
      expect(new URL(returnAddress(`/${address}`), `${SITE}/sign-in`).origin).toBe(SITE);
    }),
  );
});
