import { expect, test } from "vitest";
import { chooseLocale } from "./locales";

test("a reader's choice takes precedence over the browser's languages", () => {
  expect(chooseLocale("en", "zh-CN,zh;q=0.9")).toBe("en");
  expect(chooseLocale("fr", "zh-CN,zh;q=0.9")).toBe("zh");
  expect(chooseLocale(undefined, "en")).toBe("en");
});
