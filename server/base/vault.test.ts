import { expect, test } from "vitest";
import { createVault } from "./vault";

test("a sealed secret opens only with its own key, and only if it is unchanged", () => {
  const vault = createVault("k".repeat(32));
  const sealed = vault.seal("sk-vendor");
  expect(sealed).not.toContain("sk-vendor");
  expect(vault.seal("sk-vendor")).not.toBe(sealed);
  expect(vault.open(sealed)).toBe("sk-vendor");
  expect(() => createVault("x".repeat(32)).open(sealed)).toThrow();
  expect(() => vault.open(`${sealed.slice(0, -2)}AA`)).toThrow();
});
