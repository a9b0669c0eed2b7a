/** A check found something: exit 1, and the rows are printed like a result. */
export class Findings extends Error {
  readonly rows: unknown;

  constructor(message: string, rows: unknown) {
    super(message);
    this.rows = rows;
  }
}
