import postgres, { type Options, type Sql } from "postgres";
import { readDatabaseUrl } from "@/server/base/database-url";

type Own = Options<Record<string, never>>;

/** The driver over an address as `DATABASE_URL` has it: what the address says of TLS is read here. Connects to nothing. */
export function connectTo(text: string, options: Own): Sql {
  const { url, ssl } = readDatabaseUrl(text);
  return postgres(url, { ...options, ...(ssl !== undefined && { ssl }) });
}
