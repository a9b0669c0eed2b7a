import { keepPreviousData } from "@tanstack/react-query";
import type { Failed } from "./failure";

/** How keyset pages follow each other. What was there stays until the rows of another filter have come. */
export const paged = {
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor ?? undefined,
  placeholderData: keepPreviousData,
};

/** What a list needs of an infinite query of keyset pages. */
type Paged<Row> = {
  data: { pages: { rows: Row[] }[] } | undefined;
  error: Failed | null;
  isFetchNextPageError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
};

/** How the rows after those on the page are asked for. */
export type Pages = {
  hasMore: boolean;
  isLoading: boolean;
  /** Why the last that were asked for did not come. */
  failure: Failed | null;
  loadMore: () => void;
};

export const moreOf = (query: Omit<Paged<unknown>, "data">): Pages => ({
  hasMore: query.hasNextPage,
  isLoading: query.isFetchingNextPage,
  failure: query.isFetchNextPageError ? query.error : null,
  loadMore: () => void query.fetchNextPage(),
});

/** The rows loaded so far, and how to load more, as `DataTable` takes them. */
export const pagesOf = <Row>(query: Paged<Row>): { rows: Row[]; pages: Pages } => ({
  rows: query.data?.pages.flatMap((page) => page.rows) ?? [],
  pages: moreOf(query),
});
