/**
 * Finds which of several PostgreSQL servers to connect to. The driver knows the order of hosts, but not which one takes
 * writes.
 */
import type { Socket } from "node:net";
import postgres, { type Options } from "postgres";
import { stopwatch } from "@/server/base/clock";
import { type DatabaseAddress, readDatabaseUrl, type ServerRole } from "@/server/base/database-url";
import { withinMs } from "@/server/base/deadline";
import { isRefusalOfLiving, reasonOf } from "./reasons";
import { followConnections, type ServerPlace } from "./silent-servers";

/** A server that has not reported its role by then is skipped. */
const LOOK_MS = 2_500;
/** Connections that are made at the same time share a look. */
const FRESH_MS = 500;

/**
 * A server's answer. `refusal`: the reason in words for which it lets nothing in, such as no connection left. Both null: no
 * answer. `isAlive`: it has given its role or refuses by itself; a pooler before it, and a server that starts, refuse as well.
 */
export type ServerLook = ServerPlace & {
  role: "primary" | "standby" | null;
  refusal: string | null;
  isAlive: boolean;
};

export type ServerFinder = {
  /**
   * The server to connect to: the one found last, while it still has the requested role. Every reconnection looks
   * again, because the reason for the lost connection is unknown. Throws Error in words.
   */
  find: () => Promise<ServerPlace>;
  /** Follows a connection to a server, and closes it if it is silent and another server has the role now. */
  follow: (socket: Socket, place: ServerPlace) => void;
  /** The answer of each server, in the order of the address. */
  look: () => Promise<ServerLook[]>;
};

type SslOption = Pick<Options<Record<string, never>>, "ssl">;

/** Asks one server for its role, on a separate connection. */
async function lookAt(url: string, { ssl }: SslOption): Promise<ServerLook> {
  const { hostname, port } = new URL(url);
  const noAnswer = {
    ...{ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 5432) },
    ...{ role: null, refusal: null, isAlive: false },
  };
  const sql = postgres(url, {
    ...(ssl !== undefined && { ssl }),
    ...{ max: 1, fetch_types: false, prepare: false, connect_timeout: LOOK_MS / 1_000, backoff: false },
    onnotice: () => {},
  });
  try {
    const query = sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`;
    const [row] = (await withinMs(query, LOOK_MS)) ?? [];
    return row ? { ...noAnswer, role: row.isStandby ? "standby" : "primary", isAlive: true } : noAnswer;
  } catch (error) {
    return error instanceof postgres.PostgresError
      ? { ...noAnswer, refusal: reasonOf(error), isAlive: isRefusalOfLiving(error) }
      : noAnswer;
  } finally {
    // Does not wait for a silent server.
    void sql.end({ timeout: 0 }).catch(() => {});
  }
}

const isWanted = ({ role }: ServerLook, target: ServerRole): boolean =>
  role !== null && (target === "any" || role === target);

/** A server and its answer, in words. */
export function sayServer({ host, port, role, refusal }: ServerLook): string {
  const answer = role ?? (refusal === null ? "does not answer" : `refuses: ${refusal}`);
  return `${host}:${port} ${answer}`;
}

/** Asks all servers at the same time, so that a silent one delays none of the others. */
function createServerFinder(address: DatabaseAddress): ServerFinder {
  const urls = [address.url, ...address.others];
  const own: SslOption = address.ssl === undefined ? {} : { ssl: address.ssl };
  let lastPlace: number | null = null;
  let latest: { at: number; answer: Promise<ServerLook> } | null = null;
  const look = () => urls.map((url) => lookAt(url, own));
  async function search(): Promise<ServerLook> {
    const looks = look();
    const serverAt = async (place: number) => {
      const server = (await looks[place]) as ServerLook;
      if (!isWanted(server, address.role)) {
        throw new Error(sayServer(server));
      }
      lastPlace = place;
      return server;
    };
    try {
      // If two servers take writes, prefers the one that was written to.
      return lastPlace === null
        ? await Promise.any(urls.map((_, at) => serverAt(at)))
        : await serverAt(lastPlace);
    } catch {
      const others = Promise.any(urls.map((_, at) => serverAt(at)));
      return await others.catch(async () => {
        const summary = (await Promise.all(looks)).map(sayServer).join(", ");
        throw new Error(
          `no ${address.role === "any" ? "server" : address.role} among the database's hosts: ${summary}`,
        );
      });
    }
  }
  return {
    find: () => {
      if (latest === null || stopwatch() - latest.at > FRESH_MS) {
        latest = { at: stopwatch(), answer: search() };
      }
      return latest.answer;
    },
    follow: followConnections({
      look: () => Promise.all(look()),
      isWanted: (server) => isWanted(server, address.role),
    }),
    look: () => Promise.all(look()),
  };
}

/** The answer of each host of an address. null: the address has one host. */
export async function lookAtServers(text: string): Promise<ServerLook[] | null> {
  const address = readDatabaseUrl(text);
  return address.others.length === 0 ? null : await createServerFinder(address).look();
}

const finders = new Map<string, ServerFinder>();

/** One finder for all pools of a process to the same address, so that they agree on the server that takes writes. */
export function finderOf(text: string, address: DatabaseAddress): ServerFinder {
  const finder = finders.get(text) ?? createServerFinder(address);
  finders.set(text, finder);
  return finder;
}
