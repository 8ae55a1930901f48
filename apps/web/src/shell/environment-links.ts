import type { IconName } from "../ui/icon/icon-paths.ts";

/** The five lists of the envelope area (specification §2). */
export const ENVIRONMENT_LINKS: readonly { readonly to: string; readonly label: string; readonly icon: IconName }[] = [
  { to: "/signature/envelopes/sent", label: "Envoyé", icon: "send" },
  { to: "/signature/envelopes/completed", label: "Complété(s)", icon: "check-circle" },
  { to: "/signature/envelopes/action-required", label: "Action requise", icon: "pen" },
  { to: "/signature/envelopes/drafts", label: "Brouillons", icon: "edit" },
  { to: "/signature/envelopes/deleted", label: "Supprimé", icon: "trash" },
];

/** The list whose entry carries the red count. */
export const ACTION_REQUIRED_PATH = "/signature/envelopes/action-required";
