import { redirect } from "next/navigation";
import { addresses } from "@/app/addresses";

export default function Docs() {
  redirect(addresses.doc("quick-start"));
}
