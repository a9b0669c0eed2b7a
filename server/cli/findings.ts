/** What went wrong, in a line. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause as { code?: string; message?: string };
  return code === "ECONNREFUSED" || code === "CONNECT_TIMEOUT"
    ? "the database does not answer; is the server running?"
    : (message ?? String(error));
}

/** A check found something: exit 1, and the rows are printed like a result. */
export class Findings extends Error {
  readonly rows: unknown;

  constructor(message: string, rows: unknown) {
    super(message);
    this.rows = rows;
  }
}
