import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/data/prefetch";
import { requireViewer } from "../../require-viewer";
import { ModelScreen } from "./model-screen";

export const generateMetadata = titled("shell.prices");

type Props = { searchParams: Promise<{ id?: unknown }> };

export default async function ModelPage({ searchParams }: Props) {
  await requireViewer("staff.read");
  const { id } = await searchParams;
  return (
    <Prefetch
      ask={(trpc) =>
        typeof id === "string"
          ? [
              trpc.prices.get.queryOptions({ id }),
              trpc.prices.traffic.queryOptions({ id }),
              trpc.prices.history.queryOptions({ modelId: id }),
            ]
          : []
      }
    >
      <ModelScreen />
    </Prefetch>
  );
}
