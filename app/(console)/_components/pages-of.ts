/** What a list needs of an infinite query of keyset pages. */
type Paged<Row> = {
  data: { pages: { rows: Row[] }[] } | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
};

/** The rows loaded so far, and how to load more, as `DataTable` takes them. */
export function pagesOf<Row>(query: Paged<Row>) {
  return {
    rows: query.data?.pages.flatMap((page) => page.rows) ?? [],
    pages: {
      hasMore: query.hasNextPage,
      isLoading: query.isFetchingNextPage,
      loadMore: () => void query.fetchNextPage(),
    },
  };
}
