import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/data/prefetch";
import { requireViewer } from "../../require-viewer";
import { KeyScreen } from "./key-screen";

export const generateMetadata = titled("shell.keys");

export default async function KeyPage({ params }: { params: Promise<{ keyId: string }> }) {
  await requireViewer("account.read");
  const { keyId } = await params;
  return (
    <Prefetch
      ask={(trpc) => [
        trpc.keys.get.queryOptions({ keyId }),
        trpc.keys.days.queryOptions({ keyId }),
        trpc.keys.choices.queryOptions(),
      ]}
    >
      <KeyScreen keyId={keyId} />
    </Prefetch>
  );
}
