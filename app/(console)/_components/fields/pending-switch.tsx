import { Loader, Switch, type SwitchProps } from "@mantine/core";

type Props = Omit<SwitchProps, "checked" | "onChange" | "thumbIcon"> & {
  /** The server's state. */
  isOn: boolean;
  /** Whether a change has been sent to the server. */
  isPending: boolean;
  onSwitch: (isOn: boolean) => void;
};

/** A switch that shows only the server's state: it turns when the server has made the change. */
export function PendingSwitch({ isOn, isPending, onSwitch, ...look }: Props) {
  return (
    <Switch
      {...look}
      checked={isOn}
      aria-busy={isPending}
      thumbIcon={isPending ? <Loader size={10} aria-hidden /> : undefined}
      onChange={(event) => {
        if (!isPending) {
          onSwitch(event.currentTarget.checked);
        }
      }}
    />
  );
}
