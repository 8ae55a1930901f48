import { loadPart } from "../../../lib/load-part.ts";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { FullLoader } from "../../../ui/full-loader/full-loader.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";

/** What the desk shows once it is asked for, in files of their own: the document is there before them. */
const loadDialogs = async () => (await import("./desk-dialogs.tsx")).DeskDialogs;
export const LaterDialogs = lazyDialog(loadDialogs);
/** With the dialogs, which a member may have already: of a request whose deadline has passed alone. */
export const LaterExtension = lazyPart(
  async () => (await import("./desk-dialogs.tsx")).MemberExtension,
  null,
);
export const LaterMention = lazyPart(
  async () => (await import("./mention-strip.tsx")).MentionStrip,
  null,
);
export const LaterReading = lazyPart(
  async () => (await import("./reading-view.tsx")).ReadingView,
  <FullLoader label="Lecture du texte" />,
);

/** Asks for them once the document is shown: asked for then, they are there at once, even where the network has gone meanwhile. */
export function fetchLaterParts(): void {
  LaterReading.preload();
  LaterMention.preload();
  // A dialog that is opened without having come asks again, and says what is wrong.
  Promise.all(
    [loadDialogs, () => import("../marks/signature-dialog.tsx")].map((part) =>
      loadPart<unknown>(part),
    ),
  ).catch((error: unknown) => console.warn("the dialogs of the desk have not come yet", error));
}
