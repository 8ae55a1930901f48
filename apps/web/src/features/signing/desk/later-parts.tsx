import { loadPart } from "../../../lib/api/load-part.ts";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { FullLoader } from "../../../ui/skeleton/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";

const loadDialogs = async () => (await import("./desk-dialogs.tsx")).DeskDialogs;
export const LaterDialogs = lazyDialog(loadDialogs);
export const LaterStepDialog = lazyDialog(
  async () => (await import("./visa-actions.tsx")).StepDialog,
);
export const LaterExtension = lazyPart(
  async () => (await import("./ask-extension.tsx")).AskExtension,
  null,
);
export const LaterMention = lazyPart(
  async () => (await import("./mention-strip.tsx")).MentionStrip,
  null,
);
export const LaterVisa = lazyPart(
  async () => (await import("./visa-actions.tsx")).VisaActions,
  null,
);
export const LaterReading = lazyPart(
  async () => (await import("./reading-view.tsx")).ReadingView,
  <FullLoader label="Lecture du texte" />,
);

/** Loads them once the document is shown, so that they work without a network. */
export function fetchLaterParts(hasMention: boolean): void {
  LaterReading.preload();
  if (hasMention) LaterMention.preload();
  // Opening a dialog loads it again, and shows the error.
  Promise.all(
    [loadDialogs, () => import("../marks/signature-dialog.tsx")].map((part) =>
      loadPart<unknown>(part),
    ),
  ).catch((error: unknown) => console.warn("the dialogs of the desk have not come yet", error));
}
