/** Connections that are silent for longer than a look at their server takes. The looks are the test's, the sockets real. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { followConnections } from "@/server/db/silent-servers";
import { listen } from "@/tests/support/listen";
import { until } from "@/tests/support/until";

const accepted: Socket[] = [];
const server = createServer((socket) => void accepted.push(socket.on("error", () => {})));
let port: number;
beforeAll(async () => {
  port = await listen(server);
});
afterAll(() => void server.close());

type Answer = "answers" | "refuses" | "nothing";

/** Follows a silent connection whose server gives these answers, the last one from then on. */
async function follow(answers: Answer[]) {
  const place = { host: "127.0.0.1", port };
  const other = { host: "127.0.0.1", port: 1, role: "primary", refusal: null };
  const askedAt: number[] = [];
  const followSocket = followConnections({
    look: async () => {
      const answer = answers[Math.min(askedAt.length, answers.length - 1)];
      askedAt.push(performance.now());
      const role = answer === "answers" ? "primary" : null;
      return [{ ...place, role, refusal: answer === "refuses" ? "it has no connection left" : null }, other];
    },
    isWanted: ({ role }) => role === "primary",
  });
  const socket = connect(place.port, place.host).resume();
  let closedAfter: number | null = null;
  socket.on("error", () => {
    closedAfter = askedAt.length;
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  await until(() => accepted.some(({ remotePort }) => remotePort === socket.localPort));
  const serverSide = accepted.find(({ remotePort }) => remotePort === socket.localPort);
  followSocket(socket, place);
  return {
    speak: () => void serverSide?.write("."),
    askedAt,
    /** Looks after which it was closed. null: it is open. */
    closedAfter: () => closedAfter,
  };
}

test.concurrent("is closed after two looks without an answer, of which the second follows soon", async () => {
  const { askedAt, closedAfter } = await follow(["nothing"]);
  await until(() => closedAfter() !== null, 30_000);
  expect(closedAfter()).toBe(2);
  const [first = 0, second = 0] = askedAt;
  expect(second - first).toBeGreaterThan(2_400);
  expect(second - first).toBeLessThan(4_900);
});

test.concurrent.each<Answer[][]>([
  [["nothing", "answers", "nothing", "refuses", "nothing", "answers"]],
  [["refuses"]],
])("stays if its server answers in between, or refuses others: %j", async (answers) => {
  const { askedAt, closedAfter } = await follow(answers);
  await until(() => askedAt.length >= Math.max(answers.length, 3) || closedAfter() !== null, 60_000);
  expect(closedAfter()).toBeNull();
});

test.concurrent("stays while it speaks, however often its server does not answer a look", async () => {
  const { askedAt, closedAfter, speak } = await follow(["nothing"]);
  for (let looks = 1; looks <= 3; looks++) {
    await until(() => askedAt.length >= looks || closedAfter() !== null, 30_000);
    speak();
  }
  expect(closedAfter()).toBeNull();
});
