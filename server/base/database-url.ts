/** Parses `DATABASE_URL`: several hosts, the server's role, and how the server's identity is verified. */
import { readFileSync } from "node:fs";

/** For `tls.connect`; false: no TLS, `prefer`: TLS if the server has it. */
type Ssl =
  | false
  | "prefer"
  | {
      rejectUnauthorized: boolean;
      ca?: string;
      cert?: string;
      key?: string;
      checkServerIdentity?: () => undefined;
    };

/** The wanted server: the one that takes writes, one that follows it, or any that answers. */
export type ServerRole = "primary" | "standby" | "any";

/**
 * `url`: the first host's, without parameters for us. `others`: the same for further hosts. `role`: the wanted server.
 * `ssl`: undefined if the address does not mention it.
 */
export type DatabaseAddress = { url: string; others: string[]; role: ServerRole; ssl: Ssl | undefined };

/**
 * libpq's names. Those that only prefer a server (`prefer-standby`) are refused, because a connection could go to
 * either kind.
 */
const ROLES: Record<string, ServerRole> = {
  ...{ "read-write": "primary", primary: "primary", "read-only": "standby", standby: "standby", any: "any" },
};
const ATTRIBUTES = "target_session_attrs";

const MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"];
const FILES = ["sslrootcert", "sslcert", "sslkey"] as const;

function readNamed(name: string, path: string | null): string | undefined {
  if (path === null) {
    return undefined;
  }
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${name}: ${path} cannot be read (${(error as { code?: string }).code})`, {
      cause: error,
    });
  }
}

/** With libpq's meaning: `require` with a root certificate is `verify-ca`. */
function sslOf(mode: string, [ca, cert, key]: (string | undefined)[]): Ssl {
  if (mode === "disable" || mode === "prefer") {
    return mode === "disable" ? false : mode;
  }
  const isVerified = mode !== "require" || ca !== undefined;
  return {
    rejectUnauthorized: isVerified,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    // Accept any host name, if that authority signed the certificate.
    ...(mode !== "verify-full" && { checkServerIdentity: () => undefined }),
  };
}

/** The URL parser refuses `a:1,b:2`, so the first host replaces the list during parsing. */
const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)/;

function roleOf(url: URL): ServerRole {
  const attributes = url.searchParams.get(ATTRIBUTES);
  const role = attributes === null ? "primary" : ROLES[attributes];
  if (role === undefined) {
    throw new Error(`${ATTRIBUTES}=${attributes} is none of ${Object.keys(ROLES).join(", ")}`);
  }
  url.searchParams.delete(ATTRIBUTES);
  return role;
}

/** Throws an Error with an explanation that never contains the password. */
export function readDatabaseUrl(text: string): DatabaseAddress {
  const [, before = "", hosts = ""] = HOSTS.exec(text) ?? [];
  const [first = ""] = hosts.split(",");
  const single = text.replace(HOSTS, () => before + first);
  const isHost = (host: string) => URL.canParse(`postgres://${host}/`) && !host.startsWith(":");
  if (before === "" || !hosts.split(",").every(isHost) || !URL.canParse(single)) {
    throw new Error(
      "no address such as postgres://user:password@host:5432/database (several: host:5432,other:5432)",
    );
  }
  const url = new URL(single);
  const hasRole = url.searchParams.has(ATTRIBUTES);
  const role = roleOf(url);
  const address = (ssl: Ssl | undefined): DatabaseAddress => {
    const plain = hasRole || ssl !== undefined ? url.href : single;
    const [own = plain, ...others] = hosts
      .split(",")
      .map((host) => plain.replace(HOSTS, () => before + host));
    return { url: own, others, role, ssl };
  };
  if (url.searchParams.get("sslrootcert") === "system") {
    url.searchParams.delete("sslrootcert");
    url.searchParams.set("sslmode", "verify-full");
  }
  const mode = url.searchParams.get("sslmode");
  const fileParameters = FILES.filter((name) => url.searchParams.has(name));
  if (mode === null && fileParameters.length === 0) {
    return address(undefined);
  }
  if (mode !== null && !MODES.includes(mode)) {
    throw new Error(`sslmode=${mode} is none of ${MODES.join(", ")}`);
  }
  // The driver would check the certificate of an IP address against the name `localhost`.
  if (mode === "verify-full" && hosts.split(",").some((host) => /^\[|^[\d.]+(:\d+)?$/.test(host))) {
    throw new Error("sslmode=verify-full needs a host by its name; with an IP address take verify-ca");
  }
  const isPlain = mode === null || mode === "disable" || mode === "prefer";
  if (fileParameters.length > 0 && isPlain) {
    throw new Error(`${fileParameters.join(", ")} needs sslmode=verify-full, verify-ca or require`);
  }
  if (fileParameters.includes("sslcert") !== fileParameters.includes("sslkey")) {
    throw new Error("sslcert and sslkey belong together");
  }
  const files = FILES.map((name) => readNamed(name, url.searchParams.get(name)));
  for (const name of ["sslmode", ...FILES]) {
    url.searchParams.delete(name);
  }
  return address(sslOf(mode ?? "", files));
}
