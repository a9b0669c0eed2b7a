import { afterEach, expect, test, vi } from "vitest";
import { connection, Offline, reach } from "./reach";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The browser's `fetch`, whose answers the test gives, and its opinion of the network. */
function browser() {
  const navigator = { onLine: true };
  const calls: { resolve: (answer: Response) => void; reject: (error: Error) => void }[] = [];
  vi.stubGlobal("navigator", navigator);
  vi.stubGlobal("fetch", () => new Promise<Response>((resolve, reject) => calls.push({ resolve, reject })));
  return { navigator, calls };
}

test("a late answer to a request from before the cut does not show that the network is back", async () => {
  const { navigator, calls } = browser();
  const early = reach("/early");
  navigator.onLine = false;
  const cut = reach("/cut");
  calls[1]?.reject(new TypeError("Failed to fetch"));
  await expect(cut).rejects.toBeInstanceOf(Offline);
  expect(connection.isCutOff()).toBe(true);

  calls[0]?.resolve(new Response("late"));
  expect(await (await early).text()).toBe("late");
  expect(connection.isCutOff()).toBe(true);

  const next = reach("/next");
  calls[2]?.resolve(new Response("back"));
  await next;
  expect(connection.isCutOff()).toBe(false);
});

test("a request that fails while the browser has a network is no cut", async () => {
  const { calls } = browser();
  const lost = reach("/lost");
  calls[0]?.reject(new TypeError("Failed to fetch"));
  await expect(lost).rejects.toBeInstanceOf(TypeError);
  expect(connection.isCutOff()).toBe(false);
});
