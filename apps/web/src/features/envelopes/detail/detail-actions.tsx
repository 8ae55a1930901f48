import { EXTENSION_DAYS, type Envelope } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { useBottomDock } from "../../../ui/editor-frame/editor-frame.tsx";
import { useMediaQuery } from "../../../lib/browser/use-media-query.ts";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Menu, type MenuEntry } from "../../../ui/menu/menu.tsx";
import {
  CancelDialog,
  DeleteDialog,
  PurgeDialog,
  RestoreDialog,
  useRestore,
} from "../ending-dialogs.tsx";
import styles from "../detail.module.css";
import { CLOSED, OPEN_STATUSES } from "../envelope-calls.ts";
import { actWords } from "../recipient-state.ts";
import { RemindButton } from "./remind-button.tsx";
import { useDownload } from "../use-download.ts";
import { usePrint } from "../use-print.ts";
import { useDuplicate, useExtend, useOverdueDialog } from "../use-row-action.ts";

/** Loaded when opened: rarely used, and heavy with their fields. */
const DeadlineDialog = lazyDialog(
  async () => (await import("./deadline-dialog.tsx")).DeadlineDialog,
);
const RemindersDialog = lazyDialog(
  async () => (await import("./setting-dialogs.tsx")).RemindersDialog,
);
const PublicPageDialog = lazyDialog(
  async () => (await import("./setting-dialogs.tsx")).PublicPageDialog,
);
const QrDialog = lazyDialog(async () => (await import("./qr-dialog.tsx")).QrDialog);
const PrintDialog = lazyDialog(async () => (await import("./print-dialog.tsx")).PrintDialog);

type Open =
  | "cancel"
  | "delete"
  | "purge"
  | "qr"
  | "print"
  | "deadline"
  | "reminders"
  | "public"
  | undefined;
const SENT: readonly Envelope["status"][] = [...OPEN_STATUSES, ...CLOSED, "completed"];
const FITTING: Readonly<Record<Exclude<Open, undefined>, readonly Envelope["status"][]>> = {
  cancel: [...OPEN_STATUSES, "draft"],
  deadline: [...OPEN_STATUSES, "expired"],
  reminders: [...OPEN_STATUSES],
  delete: ["completed", ...CLOSED],
  purge: ["cancelled"],
  qr: SENT,
  print: SENT,
  public: SENT,
};
const EXTEND = `Prolonger de ${EXTENSION_DAYS}\u00a0jours`;
type Props = {
  readonly envelope: Envelope;
  /** `/signature/sent/{id}` offers no QR code. */
  readonly withQr: boolean;
};

export function DetailActions({ envelope, withQr }: Props) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  useOverdueDialog(open !== undefined && !FITTING[open].includes(envelope.status), close);
  const dock = useBottomDock();
  const isDock = useMediaQuery("(max-width: 767.98px)");
  const print = usePrint();
  const duplicate = useDuplicate();
  const extend = useExtend();
  const { mail } = useServiceRules();
  const entries = menuEntries(envelope, {
    withQr: withQr && (envelope.status !== "completed" || isDock),
    onOpen: setOpen,
    // Before a first signature a code could prove nothing.
    onPrint: () => (envelope.progress.signed > 0 ? setOpen("print") : print.mutate(envelope.id)),
    onExtend: () => !extend.isPending && extend.mutate(envelope),
    onDuplicate: () => !duplicate.isPending && duplicate.mutate(envelope.id),
  });
  return (
    <div className={`row off-paper ${styles["actions"] ?? ""}`} ref={isDock ? dock : null}>
      {envelope.status === "action_required" && <SignLink envelope={envelope} />}
      {envelope.status === "draft" && envelope.is_owner && <EditLink envelope={envelope} />}
      {envelope.is_owner && OPEN_STATUSES.has(envelope.status) && mail && (
        <RemindButton envelope={envelope} />
      )}
      {envelope.is_owner && <AgainButton {...{ envelope, extend, duplicate }} />}
      {envelope.is_owner && envelope.status === "completed" && withQr && !isDock && (
        <Button onClick={() => setOpen("qr")}>
          <Icon name="qr" size="sm" />
          QR de vérification
        </Button>
      )}
      {envelope.is_owner && envelope.status === "cancelled" && (
        <CancelledButtons envelope={envelope} onPurge={() => setOpen("purge")} />
      )}
      {envelope.documents.length > 0 &&
        envelope.status !== "draft" &&
        envelope.status !== "cancelled" && <DownloadButton envelope={envelope} />}
      {entries.length > 0 && (
        <Menu
          label="Plus d’actions"
          triggerLabel="Plus d’actions"
          triggerClassName={buttonLook({ square: true })}
          trigger={<Icon name="dots" />}
          entries={entries}
        />
      )}
      <OpenQuestion open={open} envelope={envelope} onClose={close} />
    </div>
  );
}

type AgainProps = {
  readonly envelope: Envelope;
  readonly extend: ReturnType<typeof useExtend>;
  readonly duplicate: ReturnType<typeof useDuplicate>;
};

function AgainButton({ envelope, extend, duplicate }: AgainProps) {
  const { id, status } = envelope;
  if (status === "expired")
    return (
      <Button variant="primary" loading={extend.isPending} onClick={() => extend.mutate(envelope)}>
        <Icon name="clock" size="sm" />
        {EXTEND}
      </Button>
    );
  if (status !== "declined") return null;
  return (
    <Button variant="primary" loading={duplicate.isPending} onClick={() => duplicate.mutate(id)}>
      <Icon name="pen" size="sm" />
      Corriger et renvoyer
    </Button>
  );
}

type OpenQuestionProps = {
  readonly open: Open;
  readonly envelope: Envelope;
  readonly onClose: () => void;
};

function OpenQuestion({ open, envelope, onClose }: OpenQuestionProps) {
  const navigate = useNavigate();
  const question = { envelope, onClose };
  if (open === "cancel") return <CancelDialog {...question} />;
  if (open === "deadline") return <DeadlineDialog {...question} />;
  if (open === "reminders") return <RemindersDialog {...question} />;
  if (open === "public") return <PublicPageDialog {...question} />;
  if (open === "delete") return <DeleteDialog {...question} />;
  if (open === "purge")
    return (
      <PurgeDialog
        {...question}
        onPurged={() => void navigate("/signature/envelopes/deleted", { replace: true })}
      />
    );
  if (open === "qr") return <QrDialog {...question} />;
  return open === "print" ? <PrintDialog {...question} /> : null;
}

function CancelledButtons({
  envelope,
  onPurge,
}: {
  readonly envelope: Envelope;
  readonly onPurge: () => void;
}) {
  const restoration = useRestore();
  const { restore, restoring } = restoration;
  return (
    <>
      <Button loading={restoring.isPending} onClick={() => restore(envelope)}>
        <Icon name="restore" size="sm" />
        Restaurer
      </Button>
      <Button variant="danger" onClick={onPurge}>
        Purger
      </Button>
      <RestoreDialog {...restoration} />
    </>
  );
}

function DownloadButton({ envelope }: { readonly envelope: Envelope }) {
  const download = useDownload({ failure: "Échec du téléchargement. Veuillez réessayer." });
  return (
    <Button
      variant={
        ["action_required", "expired", "declined"].includes(envelope.status)
          ? "secondary"
          : "primary"
      }
      loading={download.isPending}
      loadingLabel="Téléchargement..."
      onClick={() => download.mutate(envelope)}
    >
      <Icon name="download" size="sm" />
      Télécharger
    </Button>
  );
}

type MenuOptions = {
  readonly withQr: boolean;
  readonly onOpen: (open: Open) => void;
  readonly onPrint: () => void;
  readonly onExtend: () => void;
  readonly onDuplicate: () => void;
};

function menuEntries(
  envelope: Envelope,
  { withQr, onOpen, onPrint, onExtend, onDuplicate }: MenuOptions,
): readonly MenuEntry[] {
  if (!envelope.is_owner) return [];
  const duplicate: MenuEntry = {
    id: "duplicate",
    label: "Dupliquer",
    icon: "copy",
    onAction: onDuplicate,
  };
  const isUnsent = envelope.status === "draft" && !envelope.returned;
  if (envelope.status === "cancelled" || isUnsent) return [duplicate];
  const remove: MenuEntry =
    envelope.status === "completed" || CLOSED.has(envelope.status)
      ? {
          id: "delete",
          label: "Supprimer",
          icon: "trash",
          danger: true,
          separated: true,
          onAction: () => onOpen("delete"),
        }
      : {
          id: "cancel",
          label: "Annuler l’enveloppe",
          icon: "cancel",
          danger: true,
          separated: true,
          onAction: () => onOpen("cancel"),
        };
  if (envelope.status === "draft") return [duplicate, remove];
  const qr: MenuEntry = {
    id: "qr",
    label: "QR de vérification",
    icon: "qr",
    onAction: () => onOpen("qr"),
  };
  const print: MenuEntry = { id: "print", label: "Imprimer", icon: "print", onAction: onPrint };
  const shown: MenuEntry = {
    id: "public",
    label: "Page publique",
    icon: "eye",
    onAction: () => onOpen("public"),
  };
  return [
    ...deadlineEntries(envelope, { onOpen, onExtend }),
    print,
    shown,
    duplicate,
    ...(withQr ? [qr] : []),
    remove,
  ];
}

function deadlineEntries(
  { status, deadline_at }: Envelope,
  { onOpen, onExtend }: Pick<MenuOptions, "onOpen" | "onExtend">,
): readonly MenuEntry[] {
  const change = (label: string): MenuEntry => ({
    id: "deadline",
    label,
    icon: "calendar",
    onAction: () => onOpen("deadline"),
  });
  if (status === "expired") return [change("Prolonger à une autre date")];
  if (!OPEN_STATUSES.has(status)) return [];
  const reminders: MenuEntry = {
    id: "reminders",
    label: "Modifier les rappels",
    icon: "bell",
    onAction: () => onOpen("reminders"),
  };
  const extend: MenuEntry = { id: "extend", label: EXTEND, icon: "clock", onAction: onExtend };
  return [...(deadline_at === null ? [] : [extend]), change("Modifier l’échéance"), reminders];
}

function SignLink({ envelope }: { readonly envelope: Envelope }): ReactNode {
  return (
    <LinkButton variant="primary" to={`/signature/sign/${envelope.id}`}>
      <Icon name="pen" size="sm" />
      {actWords(envelope)}
    </LinkButton>
  );
}

function EditLink({ envelope }: { readonly envelope: Envelope }): ReactNode {
  return (
    <LinkButton variant="primary" to={`/signature/workflow/${envelope.id}`}>
      <Icon name="edit" size="sm" />
      {envelope.returned ? "Corriger" : "Modifier le brouillon"}
    </LinkButton>
  );
}
