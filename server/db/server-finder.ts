/** Which of several PostgreSQL servers to connect to. The driver knows the order of hosts and nothing of who takes writes. */
import postgres, { type Options } from "postgres";
import { type DatabaseAddress, readDatabaseUrl, type ServerRole } from "@/server/base/database-url";
import { withinMs } from "@/server/base/deadline";

/** A server that has not said what it is by then is passed over. */
const LOOK_MS = 2_500;

export type ServerLook = { host: string; port: number; role: "primary" | "standby" | null };

export type ServerFinder = {
  /** The server that is meant: the one that was found last, until a connection to it is lost. Throws Error in words. */
  find: () => Promise<{ host: string; port: number }>;
  /** A connection to it was lost: who takes writes may be another one. */
  suspect: () => void;
  /** What each of them says it is, in the order of the address. null: it says nothing. */
  look: () => Promise<ServerLook[]>;
};

type Own = Pick<Options<Record<string, never>>, "ssl">;

/** Asks one server what it is, on a connection of its own. */
async function lookAt(url: string, { ssl }: Own): Promise<ServerLook> {
  const { hostname, port } = new URL(url);
  const place = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 5432) };
  const sql = postgres(url, {
    ...(ssl !== undefined && { ssl }),
    ...{ max: 1, fetch_types: false, prepare: false, connect_timeout: LOOK_MS / 1_000, backoff: false },
    onnotice: () => {},
  });
  try {
    const asked = sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`;
    const [row] = (await withinMs(asked, LOOK_MS)) ?? [];
    const role = row?.isStandby ? "standby" : "primary";
    return { ...place, role: row ? role : null };
  } catch {
    return { ...place, role: null };
  } finally {
    // What is silent is not waited for.
    void sql.end({ timeout: 0 }).catch(() => {});
  }
}

const isMeant = ({ role }: ServerLook, wanted: ServerRole): boolean =>
  role !== null && (wanted === "any" || role === wanted);

const words = ({ host, port, role }: ServerLook): string => `${host}:${port} ${role ?? "does not answer"}`;

/** Servers are asked side by side: one that is silent holds nobody up. */
function createServerFinder(address: DatabaseAddress): ServerFinder {
  const urls = [address.url, ...address.others];
  const own: Own = address.ssl === undefined ? {} : { ssl: address.ssl };
  let found: ServerLook | null = null;
  let pending: Promise<ServerLook> | null = null;
  const look = () => urls.map((url) => lookAt(url, own));
  async function search(): Promise<ServerLook> {
    const looks = look();
    const meant = looks.map(async (one) => {
      const seen = await one;
      return isMeant(seen, address.role) ? seen : Promise.reject(new Error(words(seen)));
    });
    try {
      return await Promise.any(meant);
    } catch {
      const seen = (await Promise.all(looks)).map(words).join(", ");
      throw new Error(
        `no ${address.role === "any" ? "server" : address.role} among the database's hosts: ${seen}`,
      );
    }
  }
  return {
    find: async () => {
      if (found === null) {
        pending ??= search().finally(() => {
          pending = null;
        });
        found = await pending;
      }
      return found;
    },
    suspect: () => {
      found = null;
    },
    look: () => Promise.all(look()),
  };
}

/** What each of several hosts of an address is. null: it has one. */
export async function lookAtServers(text: string): Promise<ServerLook[] | null> {
  const address = readDatabaseUrl(text);
  return address.others.length === 0 ? null : await createServerFinder(address).look();
}

const finders = new Map<string, ServerFinder>();

/** One for all pools of a process to the same address: they agree on who takes writes. */
export function finderOf(text: string, address: DatabaseAddress): ServerFinder {
  const finder = finders.get(text) ?? createServerFinder(address);
  finders.set(text, finder);
  return finder;
}
