import type { Sql, TransactionSql } from "postgres";
import { connectTo } from "../connect";
import type { Section } from "./format";

/** One connection whose statements may take hours. */
export async function withClient<T>(url: string, act: (client: Sql) => Promise<T>): Promise<T> {
  const client = connectTo(url, {
    max: 1,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { statement_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });
  try {
    return await act(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** A migration is identified by its time. */
export async function newestMigration(tx: TransactionSql): Promise<string> {
  const [row] = await tx<{ newest: string | null }[]>`
    select max(created_at)::text as newest from drizzle.__drizzle_migrations`;
  return row?.newest ?? "none";
}

type DumpTable = Section & { refersTo: string[] };

/** All our tables except partitions. */
async function listTables(tx: TransactionSql): Promise<DumpTable[]> {
  return await tx<DumpTable[]>`
    select c.relname as table,
      (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select coalesce(json_agg(json_build_object('name', part.relname,
          'bound', pg_get_expr(part.relpartbound, part.oid)) order by part.relname), '[]')
        from pg_inherits join pg_class part on part.oid = inhrelid where inhparent = c.oid) as partitions,
      (select coalesce(array_agg(distinct parent.relname::text), '{}')
        from pg_constraint join pg_class parent on parent.oid = confrelid
        where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as "refersTo"
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`;
}

/** Sorts tables so that those without references come first. Throws on a circle, which the schema does not have. */
function inOrder(tables: DumpTable[]): DumpTable[] {
  const sorted: DumpTable[] = [];
  while (sorted.length < tables.length) {
    const done = new Set(sorted.map(({ table }) => table));
    const next = tables.filter(
      ({ table, refersTo }) => !done.has(table) && refersTo.every((parent) => done.has(parent)),
    );
    if (next.length === 0) {
      throw new Error("tables refer to each other in a circle");
    }
    sorted.push(...next);
  }
  return sorted;
}

/** Parents first. */
export async function sectionsOf(tx: TransactionSql): Promise<Section[]> {
  return inOrder(await listTables(tx)).map(({ table, columns, partitions }) => ({
    table,
    columns,
    partitions,
  }));
}
