type CursorPage<Row> = { rows: Row[]; nextCursor: string | null };

/** The rows of all pages of a list; each page is requested by the cursor of the one before it. */
export async function allPages<Row>(read: (cursor?: string) => Promise<CursorPage<Row>>): Promise<Row[]> {
  const { rows, nextCursor } = await read();
  const pages = [rows];
  for (let cursor = nextCursor; cursor !== null; ) {
    const page = await read(cursor);
    pages.push(page.rows);
    cursor = page.nextCursor;
  }
  return pages.flat();
}
