import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { type Config, ConfigError, environmentNames, loadConfig } from "./config";

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

test("origins are as browsers send them", () => {
  const origins = "https://app.example.com, http://localhost:5173/, app://obsidian.md, *";
  expect(loadConfig({ CORS_ORIGINS: origins }).CORS_ORIGINS).toEqual([
    "https://app.example.com",
    "http://localhost:5173",
    "app://obsidian.md",
    "*",
  ]);
});

test.each([
  ...["app.example.com", "https://app.example.com/path", "https://App.example.com"],
  ...["https://a.com:443", "null"],
])("%s is no origin that a browser sends", (origin) => {
  expect(() => loadConfig({ CORS_ORIGINS: origin })).toThrow(/CORS_ORIGINS/);
});

const defaults: Record<string, unknown> = loadConfig({});

/** Whether a documented default matches the code. Empty: there is no default. */
const isDefault = (name: string, text: string) => {
  const expected = defaults[name];
  const isNone = expected === undefined || (Array.isArray(expected) && expected.length === 0);
  return text === ""
    ? isNone
    : isDeepStrictEqual(loadConfig({ [name]: text })[name as keyof Config], expected);
};

// The `Variables` table of docs/configuration.md: its first cell is the name, its third one the default.
const section =
  /^## Variables$([\s\S]*?)^## /m.exec(readFileSync("docs/configuration.md", "utf8"))?.[1] ?? "";
const documented = [...section.matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$/gm)].map(
  ([, name = "", cell = ""]) => ({ name, value: /^`(.*)`$/.exec(cell)?.[1] ?? "" }),
);

const example = [...readFileSync(".env.example", "utf8").matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(
  ([, name = "", value = ""]) => ({ name, value }),
);

describe.each([
  ["docs/configuration.md", documented],
  [".env.example", example],
])("%s", (_, variables) => {
  test("names exactly the variables that there are, in their order", () => {
    expect(variables.map(({ name }) => name)).toEqual(environmentNames);
  });

  test("says of each the default that it has", () => {
    expect(variables.filter(({ name, value }) => !isDefault(name, value))).toEqual([]);
  });
});

test(".env.example sets nothing until a # is taken away", () => {
  const lines = readFileSync(".env.example", "utf8").split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("# "))).toEqual([]);
});
