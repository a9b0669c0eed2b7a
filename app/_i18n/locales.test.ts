import { expect, test } from "vitest";
import { chooseLocale } from "./locales";

test("a reader's choice comes before the browser's languages", () => {
  expect(chooseLocale("en", "zh-CN,zh;q=0.9")).toBe("en");
  expect(chooseLocale("fr", "zh-CN,zh;q=0.9")).toBe("zh");
});

test("the first language that we speak is taken, Chinese when there is none", () => {
  expect(chooseLocale(undefined, "fr-FR,en-GB;q=0.8,zh;q=0.6")).toBe("en");
  expect(chooseLocale(undefined, "fr")).toBe("zh");
  expect(chooseLocale(undefined, null)).toBe("zh");
});
