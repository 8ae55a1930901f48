import type { TeamRef } from "@paraphe/contracts";
import type { ComponentProps } from "react";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { useSession } from "./use-session.ts";

/** False for a reader, who only consults. */
export function useMayWork(): boolean {
  const session = useSession();
  return session.state !== "member" || session.user.organisation_role !== "reader";
}

/** A link to something that a reader may not do. */
export function WorkLink(props: ComponentProps<typeof LinkButton>) {
  return useMayWork() ? <LinkButton {...props} /> : null;
}

/** The teams that the signed-in person is in. */
export function useTeams(): readonly TeamRef[] {
  const session = useSession();
  return (session.state === "member" ? session.user.teams : undefined) ?? [];
}
