import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "../_components/data/trpc";
import { useSide } from "../_components/shell/viewer";

const options = { meta: { showsFailure: true } };

/** The mutations on users: of the viewer's own account, or, for operators, of any. */
export function useUsers() {
  const { people, users } = useTRPC();
  const isOwner = useSide() === "owner";
  const own = {
    resetPassword: useMutation(people.resetPassword.mutationOptions(options)),
    signOut: useMutation(people.signOut.mutationOptions(options)),
    setStatus: useMutation(people.setStatus.mutationOptions(options)),
    setRole: useMutation(people.setRole.mutationOptions(options)),
    remove: useMutation(people.remove.mutationOptions(options)),
  };
  const all = {
    resetPassword: useMutation(users.resetPassword.mutationOptions(options)),
    signOut: useMutation(users.signOut.mutationOptions(options)),
    setStatus: useMutation(users.setStatus.mutationOptions(options)),
    setRole: useMutation(users.setRole.mutationOptions(options)),
    remove: useMutation(users.remove.mutationOptions(options)),
  };
  return {
    ...(isOwner ? own : all),
    resetTotp: useMutation(users.resetTotp.mutationOptions(options)),
    unlink: useMutation(users.unlink.mutationOptions(options)),
    erase: useMutation(users.erase.mutationOptions(options)),
  };
}
