import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { addresses } from "@/app/addresses";
import { signInAddress } from "@/app/sign-in/return-address";
import type { Permission } from "@/server/base/facts";
import { may, type Side, sideOf } from "@/server/base/roles";
import { findViewer } from "@/server/console";

type Viewer = NonNullable<Awaited<ReturnType<typeof findViewer>>>;

/**
 * Who looks at the page under way. Without a session, or after its end, the browser is led to the sign-in and back
 * to this address. Somebody who must change their password first is led to the page for that. Somebody whose role lacks what
 * the page `needs`, or who is on another `side`, sees that there is no such page.
 */
export async function requireViewer(needs?: Permission, side?: Side): Promise<Viewer> {
  const viewer = await findViewer();
  if (!viewer) {
    // From proxy.ts: Next tells a page neither its address nor its query.
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
