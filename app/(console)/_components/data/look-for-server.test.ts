import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ASK_AGAIN_MS, lookForServer } from "./look-for-server";
import { connection, reach } from "./reach";

/** The browser's opinion of its network, and whether there is one. */
const network = { onLine: true, isThere: true };
const asked = vi.fn();
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(network, { onLine: true, isThere: true });
  asked.mockReset();
  vi.stubGlobal("navigator", network);
  const window = Object.assign(new EventTarget(), { location: { origin: "http://console.test" } });
  vi.stubGlobal("window", window);
  vi.stubGlobal("fetch", async (address: URL | string) => {
    asked(String(address));
    if (!network.isThere) {
      throw new TypeError("Failed to fetch");
    }
    return new Response();
  });
});

afterEach(async () => {
  stop();
  network.isThere = true;
  await reach("http://console.test/healthz");
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const happens = (name: "offline" | "online") => {
  window.dispatchEvent(new Event(name));
  return pass(0);
};

test("a network that went before the page listened is noticed within ten seconds", async () => {
  Object.assign(network, { onLine: false, isThere: false });
  stop = lookForServer(false);
  await pass(ASK_AGAIN_MS - 1);
  expect(connection.isCutOff()).toBe(false);
  await pass(1);
  expect(connection.isCutOff()).toBe(true);
});

test("a server that is reachable some time after the network is back is found within ten seconds", async () => {
  Object.assign(network, { onLine: false, isThere: false });
  stop = lookForServer(false);
  await happens("offline");
  expect(connection.isCutOff()).toBe(true);
  stop();
  stop = lookForServer(true);
  network.onLine = true;
  await happens("online");
  expect(connection.isCutOff()).toBe(true);
  network.isThere = true;
  await pass(ASK_AGAIN_MS);
  expect(connection.isCutOff()).toBe(false);
});

test("a page with a network does not ask, and neither does one that has ended", async () => {
  stop = lookForServer(false);
  await pass(10 * ASK_AGAIN_MS);
  network.onLine = false;
  stop();
  await pass(10 * ASK_AGAIN_MS);
  await happens("offline");
  expect(asked).not.toHaveBeenCalled();
});
