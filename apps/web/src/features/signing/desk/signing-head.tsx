import { capitalised, ofName } from "@paraphe/kernel/french-words";
import { type ReactNode, useState } from "react";
import { formatDueDate } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { slugify } from "../../../lib/format/slugify.ts";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { GuestParts } from "../guest/guest-parts.tsx";
import { deedOf } from "../request-standing.ts";
import type { SigningCalls } from "../signing-calls.ts";
import styles from "../signing-head.module.css";
import type { OpenedRequest } from "./use-desk.ts";

type SigningHeadProps = {
  readonly request: OpenedRequest;
  readonly lead: ReactNode;
  readonly actions: ReactNode;
  readonly more: {
    readonly Menu: GuestParts["Menu"];
    /** Null while signing is under way. */
    readonly onDecline: (() => void) | null;
    readonly onHelp: () => void;
  } | null;
  readonly reading: { readonly isOn: boolean; readonly onToggle: () => void };
  readonly load: SigningCalls["file"];
  /** `nothing`: the head is the page's banner. */
  readonly under: "top-bar" | "nothing";
};

export function SigningHead({
  request,
  lead,
  actions,
  more,
  reading,
  load,
  under,
}: SigningHeadProps) {
  usePageTitle(request.title);
  const pages = request.documents.reduce((sum, document) => sum + document.page_count, 0);
  const due = formatDueDate(request.recipient.role, request.deadline_at);
  const { download, isBusy } = useDownload(request, load);
  const Frame = under === "nothing" ? "header" : "section";
  return (
    <Frame className={styles.head} aria-label="Signature en cours">
      {lead}
      <div className={styles.title}>
        <h1 className="truncate" tabIndex={-1} title={request.title}>
          {request.title}
        </h1>
        <small className="truncate">
          {[capitalised(ofName(request.sender_name)), due, plural(pages, "page")]
            .filter((part) => part !== null)
            .join(" · ")}
        </small>
      </div>
      {more ? (
        <more.Menu
          actions={[
            { label: "Télécharger", icon: "download", onPress: download },
            {
              label: "Lecture accessible",
              icon: "text",
              onPress: reading.onToggle,
              isOn: reading.isOn,
            },
            {
              label: `Refuser ${deedOf(request.recipient.role)}`,
              icon: "cancel",
              onPress: more.onDecline,
            },
            { label: "Aide", icon: "info", onPress: more.onHelp },
          ]}
        />
      ) : (
        <HeadTools {...{ reading, isBusy }} onDownload={download} />
      )}
      {actions}
    </Frame>
  );
}

type HeadToolsProps = Pick<SigningHeadProps, "reading"> & {
  readonly isBusy: boolean;
  readonly onDownload: () => void;
};

function HeadTools({ reading, isBusy, onDownload }: HeadToolsProps) {
  return (
    <>
      <Button
        variant="ghost"
        square
        aria-label="Lecture accessible"
        title="Lecture accessible"
        aria-pressed={reading.isOn}
        onClick={reading.onToggle}
      >
        <Icon name="text" />
      </Button>
      <Button
        variant="ghost"
        square
        aria-label="Télécharger le document"
        loading={isBusy}
        onClick={onDownload}
      >
        <Icon name="download" />
      </Button>
    </>
  );
}

function useDownload({ documents }: OpenedRequest, load: SigningCalls["file"]) {
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    try {
      for (const { id, name } of documents) {
        const bytes = await load(id, AbortSignal.timeout(120_000));
        saveBlob(
          new Blob([bytes], { type: "application/pdf" }),
          `${slugify(name.replace(/\.pdf$/i, ""))}.pdf`,
        );
      }
    } catch {
      showToast("err", "Échec du téléchargement. Veuillez réessayer.");
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, download: () => void save() };
}
