/** RFC 8058: a mail program unsubscribes its user by one POST, without a session. */
import { expect, test } from "vitest";
import { getRecipient, setRecipient } from "@/server/notifications";
import { unsubscribeUrls } from "@/server/notifications/unsubscribe";
import { contextFor } from "@/tests/support/console";
import { serverEnvironment, startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";

// Its own gateway: the last test uses up the guesses of this network.
const gateway = perFile(() => startGateway());
const server = perFile(() => startServer(serverEnvironment(gateway.databaseUrl)));
const db = () => gateway.runtime.db;

async function newSubscriber() {
  const { viewer } = await contextFor(gateway, { role: "operator" });
  const target = { userId: viewer?.id ?? "", accountId: null };
  await setRecipient(db(), { ...target, events: ["channel.failing"] });
  return {
    ...unsubscribeUrls(server.url, gateway.runtime.secrets, target.userId),
    events: async () => (await getRecipient(db(), target)).events,
  };
}

/** As mail providers send it: a form, and nothing of a browser. */
const oneClick = (url: string) =>
  fetch(url, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) });

test("the one click of a mail program ends all alerts, and so does a second one", async () => {
  const person = await newSubscriber();
  for (let click = 0; click < 2; click++) {
    expect((await oneClick(person.oneClick)).status).toBe(200);
    expect(await person.events()).toEqual([]);
  }
});

test("opening the address changes nothing, and leads to the page with a button", async () => {
  const person = await newSubscriber();
  const opened = await fetch(person.oneClick, { redirect: "manual" });
  expect([opened.status, new URL(opened.headers.get("location") ?? "", server.url).href]).toEqual([
    303,
    person.page,
  ]);
  expect((await fetch(person.page)).status).toBe(200);
  expect(await person.events()).toEqual(["channel.failing"]);
});

test("a forged or missing token is refused and changes nothing", async () => {
  const person = await newSubscriber();
  const forged = person.oneClick.replace(/token=(.*)\..*/, "token=$1.forged");
  for (const url of [forged, `${server.url}/api/unsubscribe`, `${server.url}/api/unsubscribe?token=`]) {
    expect((await oneClick(url)).status, url).toBe(400);
  }
  expect(await person.events()).toEqual(["channel.failing"]);
});

test("a network with many forged tokens has to wait, and reads that it has to", async () => {
  const { oneClick: url } = await newSubscriber();
  const forged = url.replace(/token=(.*)\..*/, "token=$1.forged");
  let refused = await oneClick(forged);
  for (let guesses = 0; refused.status === 400 && guesses < 200; guesses++) {
    refused = await oneClick(forged);
  }
  expect(refused.status).toBe(429);
});
