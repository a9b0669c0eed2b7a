import { expect, test } from "vitest";
import { withKey } from "./reader-key";

test("a key takes the place of the environment's in every language", () => {
  expect(withKey('-H "Authorization: Bearer $TOLLGATE_KEY"', "sh", "sk-a")).toBe(
    '-H "Authorization: Bearer sk-a"',
  );
  expect(withKey("export TOLLGATE_KEY=sk-...", "sh", "sk-a")).toBe("export TOLLGATE_KEY=sk-a");
  expect(withKey('f(os.environ["TOLLGATE_KEY"])', "python", "sk-a")).toBe('f("sk-a")');
  expect(withKey("f(process.env.TOLLGATE_KEY)", "ts", "sk-a")).toBe('f("sk-a")');
});

test("Go without another use of its environment does not import it", () => {
  const code = 'import (\n\t"fmt"\n\t"os"\n)\nf(os.Getenv("TOLLGATE_KEY"))';
  expect(withKey(code, "go", "sk-a")).toBe('import (\n\t"fmt"\n)\nf("sk-a")');
  expect(withKey(`${code}\nos.Exit(1)`, "go", "sk-a")).toContain('\t"os"\n');
});

test("a text that is no key changes nothing", () => {
  const code = 'curl -H "Authorization: Bearer $TOLLGATE_KEY"';
  expect(withKey(code, "sh", 'sk-"; rm')).toBe(code);
  expect(withKey(code, "sh", "")).toBe(code);
});
