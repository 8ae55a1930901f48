import { Dialog } from "../../../ui/dialog/dialog.tsx";
import type { PagePlace, SignedFile } from "./signed-files.ts";
import { SignedDocumentViewer } from "./signed-document.tsx";

type Props = {
  readonly files: readonly SignedFile[];
  readonly start: PagePlace;
  readonly onClose: () => void;
};

/** The document over the page, on the whole of a small screen: from its beginning, or at the page that somebody holds on paper. */
export function SignedDocumentDialog({ files, start, onClose }: Props) {
  return (
    <Dialog title="Document" size="lg" full onClose={onClose}>
      <SignedDocumentViewer files={files} start={start} />
    </Dialog>
  );
}
