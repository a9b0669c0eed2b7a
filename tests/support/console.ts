import { randomUUID } from "node:crypto";
import { createUser } from "@/server/access";
import { appRouter } from "@/server/console/root";
import type { Context } from "@/server/console/trpc";
import type { TestGateway } from "./gateway";

/** Who sits in front of the console. */
export type Seat = { role: "owner"; accountId: string } | { role: "operator" };

/** The password of every user that is made here. */
export const PASSWORD = "correct horse battery staple";

/** What the console knows of a call: by a new user of that seat, or by nobody who signed in. */
export async function contextFor({ runtime }: TestGateway, seat: Seat | null): Promise<Context> {
  const user =
    seat &&
    (await createUser(runtime.db.orm, {
      accountId: seat.role === "owner" ? seat.accountId : null,
      email: `${randomUUID()}@example.com`,
      password: PASSWORD,
    }));
  return {
    runtime,
    viewer: user && { ...user, sessionVersion: 1 },
    address: "203.0.113.7",
    origin: "https://console.example",
    requestId: "req_test",
  };
}

/** Calls procedures as a new user of that seat does, without the wire. */
export const callerFor = async (gateway: TestGateway, seat: Seat) =>
  appRouter.createCaller(await contextFor(gateway, seat));
