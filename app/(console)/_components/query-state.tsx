/** What stands where a query has no data: that it is under way, or why it failed and a way to ask again. */
export function QueryState({
  query,
}: {
  query: { error: { message: string } | null; refetch: () => unknown };
}) {
  if (!query.error) {
    return <p role="status">加载中… Loading…</p>;
  }
  return (
    <div role="alert" className="error">
      <p>{query.error.message}</p>
      <button type="button" onClick={() => void query.refetch()}>
        重试 <span lang="en">Try again</span>
      </button>
    </div>
  );
}
