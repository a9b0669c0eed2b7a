/** Fields that search while one types. They come after the page around them, which is of use without. */
import { Skeleton } from "@mantine/core";
import dynamic from "next/dynamic";

const loading = () => <Skeleton height={58} />;

export const AccountSelect = dynamic(
  () => import("./account-select").then((module) => module.AccountSelect),
  {
    ssr: false,
    loading,
  },
);

export const KeySelect = dynamic(() => import("./key-select").then((module) => module.KeySelect), {
  ssr: false,
  loading,
});
