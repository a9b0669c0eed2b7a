/**
 * An address with several hosts: a real primary, a real standby, and a host that accepts connections and never answers.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { lookAtServers, openDatabase, patient, sayServer } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { dataDirectory } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { freePort } from "@/tests/support/free-port";
import { listen } from "@/tests/support/listen";
import { startPrimaryAndStandby } from "@/tests/support/standby";

let both: Awaited<ReturnType<typeof startPrimaryAndStandby>>;
let silent: ReturnType<typeof createServer>;
let hosts: Record<"primary" | "standby" | "silent" | "unused", string>;

const placeOf = (url: string) => new URL(url).host;
beforeAll(async () => {
  both = await startPrimaryAndStandby();
  silent = createServer((socket) => void socket.on("error", () => {}));
  hosts = {
    ...{ primary: placeOf(both.primary.url), standby: placeOf(both.standby.url) },
    ...{ silent: `127.0.0.1:${await listen(silent)}`, unused: `127.0.0.1:${await freePort()}` },
  };
});
afterAll(async () => {
  silent.close();
  await both.close();
});

/** The database address with these hosts. */
const addressOf = (...names: (keyof typeof hosts)[]) =>
  both.primary.url.replace(placeOf(both.primary.url), names.map((name) => hosts[name]).join(","));

function open(...names: (keyof typeof hosts)[]) {
  return openAt(`${addressOf(...names)}?target_session_attrs=read-write`);
}

/** Opens them over connections that check the name of each host against its certificate. */
function openOverTls(...names: (keyof typeof hosts)[]) {
  const address = addressOf(...names).replaceAll("127.0.0.1", "localhost");
  return openAt(`${address}?sslmode=verify-full&sslrootcert=${both.certificate}`);
}

function openAt(address: string) {
  const db = openDatabase(address, { connections: 8 });
  onTestFinished(() => db.close());
  /** Each query has its own connection. */
  const roles = () =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        const [row] = await sqlOf(db)<{ is: boolean }[]>`select pg_is_in_recovery() as is, pg_sleep(0.05)`;
        return row?.is ? "standby" : "primary";
      }),
    );
  return { db, roles };
}
const ALL_PRIMARY = Array(4).fill("primary");

test.each([
  [["primary", "standby"]],
  [["standby", "primary"]],
  [["silent", "standby", "primary"]],
  [["primary", "silent"]],
  [["unused", "primary"]],
] as const)(
  "with the hosts %j every connection goes to the primary, also after connections were lost",
  async (names) => {
    const { roles } = open(...names);
    expect(await roles()).toEqual(ALL_PRIMARY);
    const own = postgres(both.primary.url, { max: 1 });
    for (let time = 0; time < 3; time++) {
      await own`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tollgate'`;
      await eventually(() => roles().catch(String)).toEqual(ALL_PRIMARY);
    }
    await own.end();
  },
);

test("the error names the state of every host if none accepts writes", async () => {
  const { roles } = open("standby", "unused");
  await expect(roles()).rejects.toThrow(
    `no primary among the database's hosts: ${hosts.standby} standby, ${hosts.unused} does not answer`,
  );
});

test("a look at an address with several hosts gives the role of each", async () => {
  const servers = await lookAtServers(addressOf("standby", "silent", "primary"));
  expect(servers?.map(({ role }) => role)).toEqual(["standby", null, "primary"]);
  expect(await lookAtServers(both.primary.url)).toBeNull();
});

test.each([
  ["without TLS", () => open("primary", "standby")],
  ["over TLS", () => openOverTls("primary", "standby")],
])("a connection that is gone counts no longer among the open ones, %s", async (_, openPool) => {
  const { db, roles } = openPool();
  const count = () => db.pools().find(({ name }) => name === "money")?.open;
  await roles();
  expect(count()).toBe(4);
  const own = postgres(both.primary.url, { max: 1 });
  onTestFinished(() => own.end());
  await own`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tollgate'`;
  await eventually(() => roles().catch(String)).toEqual(ALL_PRIMARY);
  expect(count()).toBe(4);
});

/** Lets no new connection into a server until the test is over; those that are open stay. */
async function refuseLogins(url: string): Promise<void> {
  const file = join(await dataDirectory(url), "pg_hba.conf");
  const own = postgres(url, { max: 1 });
  const rules = readFileSync(file, "utf8");
  const setRules = async (text: string) => {
    writeFileSync(file, text);
    await own`select pg_reload_conf()`;
  };
  onTestFinished(async () => {
    await setRules(rules);
    await own.end();
  });
  await setRules(`host all all all reject\n${rules}`);
}

test("a connection to a server that refuses new ones stays, however silent, although another host is wanted too", async () => {
  const address = addressOf("primary", "standby");
  const { db } = openAt(`${address}?target_session_attrs=any`);
  const whereAfter = async (seconds: number) => {
    const [row] = await sqlOf(patient(db))<{ port: number }[]>`
      select inet_server_port() as port, pg_sleep(${seconds})::text`;
    return String(row?.port);
  };
  const port = await whereAfter(0);
  const url = [both.primary.url, both.standby.url].find((each) => new URL(each).port === port) ?? "";
  await refuseLogins(url);
  const reason = `${new URL(url).host} refuses: it refuses this user or password (28000)`;
  await eventually(async () => (await lookAtServers(address))?.map(sayServer)).toContain(reason);
  // Silent for three looks.
  expect(await whereAfter(20)).toBe(port);
});

test("writes go to the promoted standby after the primary has stopped, over TLS too", async () => {
  const { db, roles } = open("primary", "standby");
  const overTls = openOverTls("standby", "primary");
  const isTls = () => sqlOf(overTls.db)`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  expect([await overTls.roles(), await isTls()]).toEqual([ALL_PRIMARY, [{ ssl: true }]]);
  await sqlOf(db)`create table written (at text)`;
  await both.primary.stop();
  await both.standby.sql`select pg_promote()`;
  await eventually(() => roles().catch(String), 20_000).toEqual(ALL_PRIMARY);
  await eventually(() => overTls.roles().catch(String), 20_000).toEqual(ALL_PRIMARY);
  expect(await isTls()).toEqual([{ ssl: true }]);
  await sqlOf(db)`insert into written values ('afterwards')`;
  expect(await both.standby.sql`select at from written`).toEqual([{ at: "afterwards" }]);
});
