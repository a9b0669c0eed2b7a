import { expect, test } from "vitest";
import { importsOf, sources } from "@/tests/support/console-sources";

const textOf = (path: string) => sources.get(path)?.text ?? "";
const isClient = (path: string) => textOf(path).startsWith('"use client"');

/** Next's entry modules on the server. */
const entries = [...sources.keys()].filter((path) => /(^|\/)(page|layout|not-found)\.tsx$/.test(path));

/** The modules that run on the server, up to and including the first client modules. */
function serverTree(paths: string[], modules = new Set<string>()): Set<string> {
  for (const path of paths.filter((each) => !modules.has(each))) {
    modules.add(path);
    serverTree(isClient(path) ? [] : importsOf(path), modules);
  }
  return modules;
}

test('a module says "use client" where the server\'s part ends, and nowhere else', () => {
  const clientModules = [...sources.keys()].filter(isClient);
  // Next requires `use client` in the error page.
  const needed = [...serverTree(entries), "app/(console)/error.tsx"].filter(isClient);
  expect(clientModules.sort()).toEqual(needed.sort());
});

test("a hook that several modules use has its own file, or is in the file of its context", () => {
  const misplaced = [...sources.keys()]
    .filter((path) => /^export (function|const) use[A-Z]/m.test(textOf(path)))
    .filter((path) => !/\/use-[a-z-]+\.tsx?$/.test(path) && !/createContext/.test(textOf(path)));
  expect(misplaced).toEqual([]);
});

test("no part of the console waits behind a placeholder of Suspense, which React keeps for 300 ms", () => {
  // The server renders this part, so it has no placeholder.
  const served = "app/(console)/_overview/first-steps.tsx";
  const waiting = [...sources.keys()]
    .filter((path) => path.startsWith("app/(console)/") && path !== served)
    .filter((path) => /\b(lazy|Suspense)\b[^"]*\} from "react"|from "next\/dynamic"/.test(textOf(path)));
  expect(waiting).toEqual([]);
});

test("every clock has 24 hours, in both languages", () => {
  const clocks = /\{[^{}]*\b(timeStyle|hour): "[^{}]*\}/g;
  const withNoon = [...sources.keys()].filter((path) =>
    (textOf(path).match(clocks) ?? []).some((options) => !options.includes('hourCycle: "h23"')),
  );
  expect(withNoon).toEqual([]);
});
