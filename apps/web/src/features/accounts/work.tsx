import type { ComponentProps } from "react";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { useMayWork } from "./use-session.ts";

/** A link to something that a reader may not do. */
export function WorkLink(props: ComponentProps<typeof LinkButton>) {
  return useMayWork() ? <LinkButton {...props} /> : null;
}
