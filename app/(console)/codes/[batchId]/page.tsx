import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/data/prefetch";
import { requireViewer } from "../../require-viewer";
import { BatchScreen } from "./batch-screen";

export const generateMetadata = titled("shell.codes");

export default async function BatchPage({ params }: { params: Promise<{ batchId: string }> }) {
  await requireViewer("staff.read");
  const { batchId } = await params;
  return (
    <Prefetch ask={(trpc) => [trpc.codes.get.queryOptions({ batchId })]}>
      <BatchScreen batchId={batchId} />
    </Prefetch>
  );
}
