import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ConfigError, environmentNames, loadConfig } from "./config";

test("an empty environment is a working one", () => {
  expect(loadConfig({})).toMatchObject({ PORT: 3000, HOST: "127.0.0.1", TRUSTED_PROXIES: [] });
});

test("an empty variable counts as absent", () => {
  expect(loadConfig({ PORT: "", DATABASE_URL: "" }).PORT).toBe(3000);
});

test("every fault is named at once", () => {
  const attempt = () => loadConfig({ PORT: "x", BILLING_TIMEZONE: "Mars/Base", KEY_PEPPER: "short" });
  expect(attempt).toThrow(ConfigError);
  expect(attempt).toThrow(/PORT[\s\S]*KEY_PEPPER[\s\S]*BILLING_TIMEZONE/);
});

test("the README's table names every variable", () => {
  const readme = readFileSync("README.md", "utf8");
  expect(environmentNames.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
