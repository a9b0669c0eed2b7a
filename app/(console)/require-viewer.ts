import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { addresses } from "@/app/addresses";
import { signInAddress } from "@/app/sign-in/return-address";
import { findViewer } from "@/server/console";
import type { Permission } from "@/server/domain/enums";
import { may, type Side, sideOf } from "@/server/domain/roles";

type Viewer = NonNullable<Awaited<ReturnType<typeof findViewer>>>;

/**
 * The viewer of the current page. Without a valid session the browser goes to the sign-in page and then back here. A
 * viewer who must change the password goes to the page for that. A viewer whose role lacks the permission that the
 * page `needs`, or who is on another `side`, gets a 404.
 */
export async function requireViewer(needs?: Permission, side?: Side): Promise<Viewer> {
  const viewer = await findViewer();
  if (!viewer) {
    // Set by proxy.ts: Next gives a page neither its address nor its query.
    redirect(signInAddress((await headers()).get("x-page-address") ?? addresses.overview()));
  }
  if (viewer.mustChangePassword) {
    redirect(addresses.changePassword());
  }
  if ((needs && !may(viewer.role, needs)) || (side && sideOf(viewer.role) !== side)) {
    notFound();
  }
  return viewer;
}
