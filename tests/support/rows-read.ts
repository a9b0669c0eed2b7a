import type { Sql } from "postgres";

export type SqlStatement = { text: string; parameters: unknown[] };

type Node = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
};

/** Adds the rows that a part of a plan reads, by the table's name. */
function addRead(node: Node, read: Map<string, number>): void {
  const table = node["Relation Name"];
  if (table !== undefined) {
    const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
    const rows = (node["Actual Rows"] + removed) * node["Actual Loops"];
    read.set(table, (read.get(table) ?? 0) + Math.round(rows));
  }
  for (const child of node.Plans ?? []) {
    addRead(child, read);
  }
}

/** How many rows of each table the statements read, as PostgreSQL counts them while it runs them. */
export async function countRowsRead(sql: Sql, statements: SqlStatement[]): Promise<Map<string, number>> {
  const read = new Map<string, number>();
  for (const { text, parameters } of statements) {
    const explained = `explain (analyze, timing off, format json) ${text}`;
    const [plan] = await sql.unsafe(explained, parameters as string[], { prepare: true });
    addRead(plan?.["QUERY PLAN"][0].Plan, read);
  }
  return read;
}
