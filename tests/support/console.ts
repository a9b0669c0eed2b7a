import { randomUUID } from "node:crypto";
import { encode } from "next-auth/jwt";
import { createUser } from "@/server/access";
import { appRouter } from "@/server/console/root";
import type { Context } from "@/server/console/trpc";
import { tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { accountRoles, staffRoles } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import type { TestGateway } from "./gateway";

export type Seat =
  | { role: (typeof accountRoles)[number]; accountId: AccountId }
  | { role: (typeof staffRoles)[number] };

/** The password of every user that this file makes. */
export const PASSWORD = "correct horse battery staple";

/** The console's context of a call: by a new user of that seat, or by a visitor without a session. */
export async function contextFor({ runtime }: TestGateway, seat: Seat | null): Promise<Context> {
  const user =
    seat &&
    (await createUser(runtime.db, {
      accountId: "accountId" in seat ? seat.accountId : null,
      email: `${randomUUID()}@example.com`,
      role: seat.role,
      password: PASSWORD,
    }));
  const sessionId = randomUUID();
  if (user) {
    const expiresAt = new Date(Date.now() + 3_600_000);
    await ormOf(runtime.db).insert(tables.sessions).values({ id: sessionId, userId: user.id, expiresAt });
  }
  return {
    ...{ runtime, viewer: user && { ...user, sessionId }, address: "203.0.113.7" },
    ...{ origin: "https://console.example", language: "en", requestId: "req_test" },
  };
}

export const sessionCookie = async ({ runtime }: TestGateway, sessionId: string): Promise<string> =>
  `next-auth.session-token=${await encode({ token: { sub: sessionId }, secret: runtime.secrets.authSecret })}`;

/** Calls procedures as a new user of that seat, without HTTP. */
export const callerFor = async (gateway: TestGateway, seat: Seat) =>
  appRouter.createCaller(await contextFor(gateway, seat));
