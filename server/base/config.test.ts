import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { type Config, ConfigError, environmentNames, loadConfig } from "./config";

test("an empty environment is a valid configuration", () => {
  expect(loadConfig({})).toMatchObject({ PORT: 3000, HOST: "127.0.0.1", TRUSTED_PROXIES: [] });
});

test("an empty variable counts as absent", () => {
  expect(loadConfig({ PORT: "", DATABASE_URL: "" }).PORT).toBe(3000);
});

test("one error names every fault", () => {
  const attempt = () => loadConfig({ PORT: "x", BILLING_TIMEZONE: "Mars/Base", KEY_PEPPER: "short" });
  expect(attempt).toThrow(ConfigError);
  expect(attempt).toThrow(/PORT[\s\S]*KEY_PEPPER[\s\S]*BILLING_TIMEZONE/);
});

test("origins have the form in which browsers send them", () => {
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
])("%s is refused as an origin", (origin) => {
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

// The tables below `Variables` of both pages: the first cell is the name, the third one the default.
const sections = ["docs/configuration.md", "docs/settings.md"].map(
  (file) => /^## Variables$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(readFileSync(file, "utf8"))?.[1] ?? "",
);
const documented = [...sections.join("").matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$/gm)].map(
  ([, name = "", cell = ""]) => ({ name, value: /^`(.*)`$/.exec(cell)?.[1] ?? "" }),
);

const example = [...readFileSync(".env.example", "utf8").matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(
  ([, name = "", value = ""]) => ({ name, value }),
);

describe.each([
  ["docs/configuration.md and docs/settings.md", documented],
  [".env.example", example],
])("%s", (_, variables) => {
  test("names exactly the existing variables, in their order", () => {
    expect(variables.map(({ name }) => name)).toEqual(environmentNames);
  });

  test("has the default of each variable", () => {
    expect(variables.filter(({ name, value }) => !isDefault(name, value))).toEqual([]);
  });
});

test(".env.example sets nothing until a # is removed", () => {
  const lines = readFileSync(".env.example", "utf8").split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("# "))).toEqual([]);
});
