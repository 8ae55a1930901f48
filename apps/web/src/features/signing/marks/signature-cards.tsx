import { MAX_SIGNATURE_NAME_LENGTH, type SavedSignature } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { serverSentence } from "../../../lib/api/api-error.ts";
import { formatDay, formatLongDay } from "../../../lib/format/format-dates.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { buttonLook } from "../../../ui/button/button.tsx";
import { DeleteDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { NameDialog } from "../../../ui/dialog/form-dialog.tsx";
import { focusOnceDrawn } from "../../../ui/focus/preserve-focus.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Menu } from "../../../ui/menu/menu.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { fullName, useSession } from "../../accounts/use-session.ts";
import { savedLook } from "./chosen-mark.ts";
import { HANDS } from "./hands.ts";
import { MarkPicture } from "./mark-picture.tsx";
import styles from "./saved-signatures.module.css";
import { nextName, savedSignatureCalls, savedSignaturesQuery } from "./use-saved-signatures.ts";

const MADE = { drawn: "Dessinée", typed: "Saisie", uploaded: "Importée" } as const;

/** « Saisie (Notaire) le 3 mars 2026 »; once used, « Notaire, utilisée le 20 nov. 2026 ». */
function describeUse(signature: SavedSignature): string {
  const { kind, font, created_at: createdAt, last_used_at: lastUsedAt } = signature;
  const hand = HANDS.find((entry) => kind === "typed" && entry.hand === font)?.name;
  return lastUsedAt === null
    ? `${MADE[kind]}${hand ? ` (${hand})` : ""} le ${formatLongDay(createdAt)}`
    : `${hand ?? MADE[kind]}, utilisée le ${formatDay(lastUsedAt)}`;
}

type SignatureCardProps = {
  readonly signature: SavedSignature;
  readonly isBusy: boolean;
  readonly onDefault: () => void;
  readonly onRename: () => void;
  readonly onDelete: () => void;
};

function SignatureCard({ signature, isBusy, onDefault, onRename, onDelete }: SignatureCardProps) {
  const { name, is_default: isDefault } = signature;
  const label = `Actions pour ${name}`;
  const makeDefault = {
    id: "default",
    label: "Définir par défaut",
    icon: "check",
    disabled: isBusy,
    onAction: onDefault,
  } as const;
  return (
    <li className={styles.card} data-signature={signature.id}>
      <div className={styles.view}>
        <div className={styles.mark}>
          <MarkPicture look={savedLook(signature)} />
        </div>
      </div>
      <div className={styles.meta}>
        <b className="truncate">{name}</b>
        {isDefault ? <Badge tone="info">Par défaut</Badge> : null}
        <Menu
          label={label}
          triggerLabel={label}
          triggerClassName={buttonLook({ variant: "ghost", size: "sm", square: true })}
          trigger={<Icon name="dots" />}
          entries={[
            ...(isDefault ? [] : [makeDefault]),
            { id: "rename", label: "Renommer", icon: "edit", onAction: onRename },
            { id: "delete", label: "Supprimer", icon: "trash", danger: true, onAction: onDelete },
          ]}
        />
      </div>
      <small className={styles.use}>{describeUse(signature)}</small>
    </li>
  );
}

const NewSignatureDialog = lazy(async () => ({
  default: (await import("./new-signature-dialog.tsx")).NewSignatureDialog,
}));

export type AskedDialog =
  | { readonly kind: "new" }
  | { readonly kind: "rename" | "delete"; readonly signature: SavedSignature };

type SignatureCardsProps = {
  readonly signatures: readonly SavedSignature[];
  readonly onAsk: (asked: AskedDialog) => void;
};

export function SignatureCards({ signatures, onAsk }: SignatureCardsProps) {
  const choose = useDefault();
  return (
    <>
      <ul className={styles.grid} aria-label="Signatures enregistrées">
        {signatures.map((signature) => (
          <SignatureCard
            key={signature.id}
            signature={signature}
            isBusy={choose.isPending}
            onDefault={() => choose.mutate(signature)}
            onRename={() => onAsk({ kind: "rename", signature })}
            onDelete={() => onAsk({ kind: "delete", signature })}
          />
        ))}
      </ul>
      <p className={`muted small ${styles.foot}`}>
        Ces tracés sont chiffrés et ne servent qu’avec votre confirmation.
      </p>
    </>
  );
}

type SignatureDialogsProps = {
  readonly asked: AskedDialog | null;
  readonly signatures: readonly SavedSignature[];
  readonly onClose: () => void;
};

export function SignatureDialogs({ asked, signatures, onClose }: SignatureDialogsProps) {
  const session = useSession();
  if (asked === null) return null;
  if (asked.kind === "rename")
    return <RenameSignatureDialog signature={asked.signature} onClose={onClose} />;
  if (asked.kind === "delete")
    return (
      <DeleteSignatureDialog
        signature={asked.signature}
        nextFocus={nextFocusTarget(asked.signature, signatures)}
        onClose={onClose}
      />
    );
  return (
    <Suspense fallback={null}>
      <NewSignatureDialog
        signerName={session.state === "member" ? fullName(session.user) : ""}
        proposedName={nextName(signatures)}
        onClose={onClose}
      />
    </Suspense>
  );
}

function nextFocusTarget(
  { id }: SavedSignature,
  signatures: readonly SavedSignature[],
): string | null {
  const at = signatures.findIndex((signature) => signature.id === id);
  return (signatures[at + 1] ?? signatures[at - 1])?.id ?? null;
}

/** The card moves to the top, and the focus with it. */
function useDefault() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: SavedSignature) => savedSignatureCalls.change(id, { is_default: true }),
    onSuccess: async ({ id, name }) => {
      await client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      announce(`${name}, par défaut`);
      focusOnceDrawn(() => document.querySelector<HTMLElement>(`[data-signature="${id}"] button`));
    },
    onError: (error) =>
      showToast("err", "La signature n’a pas pu être modifiée.", { detail: serverSentence(error) }),
  });
}

function RenameSignatureDialog({
  signature,
  onClose,
}: {
  signature: SavedSignature;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <NameDialog
      title="Renommer la signature"
      label="Nom de la signature"
      name={signature.name}
      maxLength={MAX_SIGNATURE_NAME_LENGTH}
      words={{
        action: "Renommer",
        required: "Donnez un nom à cette signature",
        failure: "La signature n’a pas pu être renommée. Réessayez dans un instant.",
      }}
      save={(name) => savedSignatureCalls.change(signature.id, { name })}
      onDone={() => {
        showToast("ok", "Signature renommée.");
        void client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}

/** `nextFocus`: the signature whose card takes the focus afterwards. */
type DeleteSignatureDialogProps = {
  readonly signature: SavedSignature;
  readonly nextFocus: string | null;
  readonly onClose: () => void;
};

function DeleteSignatureDialog({ signature, nextFocus, onClose }: DeleteSignatureDialogProps) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      title={"Supprimer cette signature\u202f?"}
      message="Les documents déjà signés ne changent pas."
      secondary={`«\u00a0${signature.name}\u00a0»`}
      remove={() => savedSignatureCalls.remove(signature.id)}
      onDone={() => {
        showToast("ok", "Signature supprimée.");
        return client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      }}
      focusAfter={nextFocus === null ? null : `[data-signature="${nextFocus}"] button`}
      onClose={onClose}
    />
  );
}
