/** The choices that the browser keeps. Apart from `table-look.ts`, because only an open menu needs them. */
import { keepCookie } from "@/app/keep-cookie";
import { formatLook, parseLook, TABLES_COOKIE, type TableLook } from "./table-look";

const keptLook = (): TableLook =>
  parseLook(
    document.cookie
      .split("; ")
      .find((cookie) => cookie.startsWith(`${TABLES_COOKIE}=`))
      ?.slice(TABLES_COOKIE.length + 1),
  );

/** Edits the kept choices and returns them. They may be newer than those of the page: another tab may have made some. */
export function editKeptLook(edit: (kept: TableLook) => TableLook): TableLook {
  const next = edit(keptLook());
  keepCookie(TABLES_COOKIE, formatLook(next));
  return next;
}
