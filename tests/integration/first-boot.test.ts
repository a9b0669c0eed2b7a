import { expect, test } from "vitest";
import { createAttempts, redeemLink } from "@/server/access";
import { firstBoot } from "@/server/first-boot";
import { startGateway } from "@/tests/support/gateway";

test("replicas that start at once on an empty database all come up, and one of them says how to sign in", async () => {
  const gateway = await startGateway();
  try {
    const made = await Promise.all([1, 2, 3].map(() => firstBoot(gateway.runtime, () => {})));
    expect(made.filter((each) => each.adminLink !== undefined)).toHaveLength(1);
    expect(await firstBoot(gateway.runtime, () => {})).toEqual({});
  } finally {
    await gateway.close();
  }
});

test("an external database's first start makes no password: its administrator sets one by the link, once", async () => {
  const gateway = await startGateway({ env: { TOLLGATE_ADMIN_EMAIL: "first@tollgate.test" } });
  try {
    const { db } = gateway.runtime;
    const made = await firstBoot(gateway.runtime, () => {});
    expect(made).toEqual({
      adminEmail: "first@tollgate.test",
      adminLink: expect.stringMatching(/^\/set-password#[\w-]{43}$/),
    });
    const token = made.adminLink?.split("#")[1] ?? "";
    const [stored] = await db.sql`select password_hash, to_jsonb(l)::text as link
      from users u join user_links l on l.user_id = u.id`;
    expect(stored).toMatchObject({ password_hash: null, link: expect.not.stringContaining(token) });
    const claim = { token, password: "chosen by myself", address: null };
    const deps = { attempts: createAttempts(db) };
    await redeemLink(db.orm, deps, claim);
    await expect(redeemLink(db.orm, deps, claim)).rejects.toMatchObject({ reason: "linkInvalid" });
  } finally {
    await gateway.close();
  }
});

test("while no operator has set a password, each later start says how to get another link", async () => {
  const gateway = await startGateway({ env: { TOLLGATE_ADMIN_EMAIL: "first@tollgate.test" } });
  try {
    const { runtime } = gateway;
    const said = async () => {
      const lines: string[] = [];
      return { made: await firstBoot(runtime, (line) => lines.push(line)), lines };
    };
    const first = await said();
    expect(first.lines).toEqual([]);
    expect(await said()).toEqual({
      made: {},
      lines: [expect.stringContaining("user reset-password --email first@tollgate.test")],
    });
    const token = first.made.adminLink?.split("#")[1] ?? "";
    const attempts = createAttempts(runtime.db);
    await redeemLink(runtime.db.orm, { attempts }, { token, password: "chosen by myself", address: null });
    expect(await said()).toEqual({ made: {}, lines: [] });
  } finally {
    await gateway.close();
  }
});

test("a password that was given is neither said nor made another", async () => {
  const password = "given by the environment";
  const gateway = await startGateway({ env: { TOLLGATE_ADMIN_PASSWORD: password } });
  try {
    const lines: string[] = [];
    const made = await firstBoot(gateway.runtime, (line) => lines.push(line));
    expect(JSON.stringify([made, lines])).not.toContain(password);
    expect(made).toEqual({ adminEmail: "admin@tollgate.local" });
  } finally {
    await gateway.close();
  }
});
