/** An error's reason in one line. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause as { code?: string; message?: string };
  return code === "ECONNREFUSED" || code === "CONNECT_TIMEOUT"
    ? "the database does not respond; is the server running?"
    : (message ?? String(error));
}

/** The findings of a check: exit code 1, and the rows are printed like a result. */
export class CheckFailed extends Error {
  readonly rows: unknown;

  constructor(message: string, rows: unknown) {
    super(message);
    this.rows = rows;
  }
}
