import { expect, test } from "vitest";
import { createVault } from "@/server/base/vault";
import { changeCredentials, sealCredentials } from "./credentials";

const vault = createVault("k".repeat(32));
const stored = sealCredentials(["sk-first-0001", "sk-second-0002", "sk-third-0003"], vault);

test("a credential is told apart by its last four characters, unless they are most of it", () => {
  expect(stored.credentialHints).toEqual(["0001", "0002", "0003"]);
  expect(sealCredentials(["short-0009"], vault).credentialHints).toEqual([""]);
});

test("credentials are kept by their place, as they are sealed, and new ones come where they are put", () => {
  const changed = changeCredentials(stored, [{ keep: 2 }, { secret: "sk-new-0004" }, { keep: 0 }], vault);
  expect(changed.credentials.map(vault.open)).toEqual(["sk-third-0003", "sk-new-0004", "sk-first-0001"]);
  expect(changed.credentials[0]).toBe(stored.credentials[2]);
  expect(changed.credentialHints).toEqual(["0003", "", "0001"]);
});

test("a place without a credential, no credential at all, and one that no header can carry are refused", () => {
  expect(() => changeCredentials(stored, [{ keep: 3 }], vault)).toThrow("there is no credential 3");
  expect(() => changeCredentials(stored, [], vault)).toThrow();
  expect(() => sealCredentials([], vault)).toThrow();
  expect(() => sealCredentials(["密钥-0001-0002"], vault)).toThrow("visible ASCII");
  expect(() => sealCredentials(["sk-two\nlines-0001"], vault)).toThrow("visible ASCII");
});
