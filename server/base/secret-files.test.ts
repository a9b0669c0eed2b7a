import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { environmentNames, loadConfig } from "./config";
import { secretVariables } from "./secret-files";

const directory = temporaryDirectory();

const fileOf = (text: string) => {
  const path = join(directory, `${Math.random()}`);
  writeFileSync(path, text);
  return path;
};
const secret = "s".repeat(32);

describe("a secret in a file", () => {
  test.each([
    ["without a line end", secret],
    ["with a line end", `${secret}\n`],
    ["with the line end of Windows", `${secret}\r\n`],
  ])("is read %s", (_how, text) => {
    expect(loadConfig({ AUTH_SECRET_FILE: fileOf(text) }).AUTH_SECRET).toBe(secret);
  });

  test("may have spaces and line ends inside", () => {
    expect(loadConfig({ METRICS_TOKEN_FILE: fileOf(" a b \n\n") }).METRICS_TOKEN).toBe(" a b \n");
  });

  test("has the same rules as a variable", () => {
    expect(() => loadConfig({ AUTH_SECRET_FILE: fileOf("short") })).toThrow(
      /AUTH_SECRET: must have at least 32/,
    );
  });

  test("is refused if it is unreadable or empty or its variable is set as well, and one error names all faults", () => {
    const load = () =>
      loadConfig({
        ...{ AUTH_SECRET_FILE: join(directory, "none"), KEY_PEPPER_FILE: fileOf("\n") },
        ...{ ENCRYPTION_KEY_FILE: fileOf(secret), ENCRYPTION_KEY: secret, PORT: "many" },
      });
    for (const words of [
      /AUTH_SECRET_FILE: ENOENT/,
      /KEY_PEPPER_FILE: .* is empty/,
      /which of them/,
      /PORT/,
    ]) {
      expect(load).toThrow(words);
    }
  });

  test("an empty path counts as absent", () => {
    expect(loadConfig({ AUTH_SECRET_FILE: "" }).AUTH_SECRET).toBeUndefined();
  });
});

test("every variable that may come from a file exists", () => {
  expect(secretVariables.filter((name) => !environmentNames.includes(name))).toEqual([]);
});
