import { getLocale } from "@/app/_i18n/server";
import { searchDocs } from "@/app/docs/search";

/** Enough for a list below a field. */
const MAX_RESULTS = 5;

/** GET /api/docs?q=: the best sections in the reader's language, for the console's search. */
export async function GET(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams.get("q") ?? "";
  return Response.json(await searchDocs(await getLocale(), query, MAX_RESULTS));
}
