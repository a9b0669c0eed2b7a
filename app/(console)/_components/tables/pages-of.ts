import { keepPreviousData } from "@tanstack/react-query";
import type { Failed } from "../data/failure";

/** Options of a query over keyset pages. Old rows stay on screen until the rows of a new filter arrive. */
export const paged = {
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor ?? undefined,
  placeholderData: keepPreviousData,
};

/** The members of an infinite query of keyset pages that a list needs. */
export type PagedQuery<Page = unknown> = {
  data: { pages: Page[] } | undefined;
  error: Failed | null;
  isFetchNextPageError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
};

/** The further rows of a list, and how to load them. */
export type Pages = {
  /** The number of loaded pages. */
  loaded: number;
  hasMore: boolean;
  isLoading: boolean;
  /** The error of the last attempt to load further rows. */
  failure: Failed | null;
  loadMore: () => void;
};

export const moreOf = (query: PagedQuery): Pages => ({
  loaded: query.data?.pages.length ?? 0,
  hasMore: query.hasNextPage,
  isLoading: query.isFetchingNextPage,
  failure: query.isFetchNextPageError ? query.error : null,
  loadMore: () => void query.fetchNextPage(),
});

/** The rows loaded so far, and how to load more, as `DataTable` takes them. */
export const pagesOf = <Row>(query: PagedQuery<{ rows: Row[] }>): { rows: Row[]; pages: Pages } => ({
  rows: query.data?.pages.flatMap((page) => page.rows) ?? [],
  pages: moreOf(query),
});
