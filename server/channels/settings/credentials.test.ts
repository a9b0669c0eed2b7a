import { expect, test } from "vitest";
import { createVault } from "@/server/base/vault";
import { changeCredentials, sealCredentials } from "./credentials";

const vault = createVault("k".repeat(32));
const writing = { dialect: "openai", vault } as const;
const stored = sealCredentials(["sk-first-0001", "sk-second-0002", "sk-third-0003"], writing);

test("a credential is shown by its last four characters, unless they are most of it", () => {
  expect(stored.credentialHints).toEqual(["0001", "0002", "0003"]);
  expect(sealCredentials(["short-0009"], writing).credentialHints).toEqual([""]);
});

test("credentials keep their place and their sealed text, and new ones come where they are put", () => {
  const changed = changeCredentials(stored, [{ keep: 2 }, { secret: "sk-new-0004" }, { keep: 0 }], writing);
  expect(changed.credentials.map(vault.open)).toEqual(["sk-third-0003", "sk-new-0004", "sk-first-0001"]);
  expect(changed.credentials[0]).toBe(stored.credentials[2]);
  expect(changed.credentialHints).toEqual(["0003", "", "0001"]);
});

test("a place without a credential, an empty list, and a credential that no header can carry are refused", () => {
  expect(() => changeCredentials(stored, [{ keep: 3 }], writing)).toThrow("there is no credential 3");
  expect(() => changeCredentials(stored, [], writing)).toThrow();
  expect(() => sealCredentials([], writing)).toThrow();
  expect(() => sealCredentials(["密钥-0001-0002"], writing)).toThrow("visible ASCII");
  expect(() => sealCredentials(["sk-two\nlines-0001"], writing)).toThrow("visible ASCII");
});

test("a credential is a pair if and only if the dialect has pairs", () => {
  const pairs = { dialect: "kling", vault } as const;
  const sealed = sealCredentials([" access-0001:secret-0002 "], pairs);
  expect(sealed.credentials.map(vault.open)).toEqual(["access-0001:secret-0002"]);
  expect(sealed.credentialHints).toEqual(["0002"]);
  for (const half of ["access-0001", "access-0001:", ":secret-0002", "a:b:c", "access-0001: secret-0002"]) {
    expect(() => sealCredentials([half], pairs)).toThrow("ACCESS:SECRET");
    expect(() => changeCredentials(sealed, [{ keep: 0 }, { secret: half }], pairs)).toThrow("ACCESS:SECRET");
    expect(() => sealCredentials([half], writing)).not.toThrow();
  }
});
