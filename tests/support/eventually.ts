import { expect } from "vitest";
import { isOver, PATIENCE_MS, until } from "./until";

type Assertion = ReturnType<typeof expect>;
type Polled = ReturnType<typeof expect.poll>;
type Matcher = (...args: unknown[]) => void;

/**
 * `expect` of a changing value: `await eventually(read).toBe(1)` reads until the matcher holds, with the patience of
 * `until`, and otherwise fails with the matcher's own error.
 */
export function eventually(
  read: () => unknown,
  patienceMs = PATIENCE_MS,
  select: (assertion: Assertion) => Assertion = (assertion) => assertion,
): Polled {
  const match = async (name: string, args: unknown[]) => {
    let failure: unknown;
    const holds = async () => {
      const value = await read();
      try {
        const assertion = select(expect(value));
        (Reflect.get(assertion, name) as Matcher).apply(assertion, args);
        return true;
      } catch (error) {
        failure = error;
        return false;
      }
    };
    await until(holds, patienceMs).catch((error: unknown) => {
      // The matcher's error says more than that time is over. An error that `read` throws is the error itself.
      throw failure === undefined || !isOver(error) ? error : failure;
    });
  };
  return new Proxy({} as Polled, {
    get: (_, name) =>
      name === "not"
        ? eventually(read, patienceMs, (assertion) => select(assertion).not)
        : (...args: unknown[]) => match(String(name), args),
  });
}
