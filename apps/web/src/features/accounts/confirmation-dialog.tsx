import type { ConfirmationAsked } from "@paraphe/contracts";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { api } from "../../lib/api/api.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button, buttonLook } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { canUsePasskeys, confirmWithPasskey, isCancelled } from "./passkeys.ts";
import { TotpField } from "./totp-field.tsx";

/** False when the person gives up. */
export function askConfirmation(refusal: ApiError, isRepeated: boolean): Promise<boolean> {
  const { methods = [] } = refusal.details.body as Partial<ConfirmationAsked>;
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  return new Promise<boolean>((resolve) => {
    root.render(
      methods.length === 0 ? (
        <FactorDialog isRepeated={isRepeated} onEnd={resolve} />
      ) : (
        <ConfirmationDialog methods={usable(methods)} onEnd={resolve} />
      ),
    );
  }).finally(() => {
    root.unmount();
    place.remove();
  });
}

function usable(methods: ConfirmationAsked["methods"]) {
  return methods.filter((one) => one !== "passkey" || canUsePasskeys());
}

/** In another window, since this page holds what was filled in. */
function FactorDialog({
  isRepeated,
  onEnd,
}: Pick<Props, "onEnd"> & { readonly isRepeated: boolean }) {
  return (
    <Dialog
      title="Ajoutez un second facteur"
      sheet
      onClose={() => onEnd(false)}
      actions={
        <>
          <Button onClick={() => onEnd(true)}>C’est fait</Button>
          <a
            className={buttonLook({ variant: "primary" })}
            href="/settings/security"
            target="_blank"
            rel="noopener"
            title="Ouvrir Sécurité (nouvelle fenêtre)"
          >
            Ouvrir Sécurité
          </a>
        </>
      }
    >
      {isRepeated && <Alert tone="warning">Votre compte n’a pas encore de second facteur.</Alert>}
      <p>
        Votre organisation en demande un avant chaque signature. Ajoutez une clé d’accès ou une
        application d’authentification, puis revenez ici{"\u00a0"}: rien n’est perdu.
      </p>
    </Dialog>
  );
}

type Props = {
  readonly methods: ConfirmationAsked["methods"];
  readonly onEnd: (isConfirmed: boolean) => void;
};

function ConfirmationDialog({ methods, onEnd }: Props) {
  const [method, setMethod] = useState(methods[0]);
  const { busy, code, setCode, error, byKey, byCode } = useConfirmation(() => onEnd(true));
  const isTyped = method === "totp";
  const other = methods.find((one) => one !== method);
  return (
    <Dialog
      title="Confirmez votre signature"
      sheet
      locked={busy}
      onClose={() => onEnd(false)}
      actions={
        <>
          <Button onClick={() => onEnd(false)}>Annuler</Button>
          <Button
            variant="primary"
            loading={busy}
            blocked={isTyped && code.length < 6}
            onClick={isTyped ? () => byCode(code) : byKey}
          >
            {isTyped ? "Confirmer" : "Utiliser ma clé d’accès"}
          </Button>
        </>
      }
    >
      <p>Votre organisation le demande avant chaque signature. La preuve le dira.</p>
      {isTyped ? (
        <TotpField
          label="Code à 6 chiffres de votre application"
          code={code}
          onChange={setCode}
          onComplete={byCode}
          error={error}
          autoFocus
        />
      ) : (
        error !== undefined && <Alert tone="warning">{error}</Alert>
      )}
      {other !== undefined && (
        <LinkAction onClick={() => setMethod(other)}>
          <Icon name={OTHERS[other].icon} size="sm" />
          {OTHERS[other].label}
        </LinkAction>
      )}
    </Dialog>
  );
}

const OTHERS = {
  totp: { label: "Utiliser l’application d’authentification", icon: "phone" },
  passkey: { label: "Utiliser une clé d’accès", icon: "key" },
} as const;

function useConfirmation(onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const attempt = async (call: () => Promise<unknown>) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await call();
      onDone();
    } catch (refusal) {
      setError(wordsOf(refusal));
      setCode("");
      setBusy(false);
    }
  };
  return {
    busy,
    code,
    setCode,
    error,
    byKey: () => void attempt(confirmWithPasskey),
    byCode: (digits: string) => void attempt(() => confirmWithCode(digits)),
  };
}

function confirmWithCode(code: string): Promise<unknown> {
  return api.post("/api/signature/me/confirmation/", { body: { code } });
}

function wordsOf(error: unknown): string {
  if (isCancelled(error)) return "Aucune clé d’accès n’a répondu. Réessayez.";
  const field = error instanceof ApiError ? error.fieldErrors["code"] : undefined;
  return field?.join(" ") ?? callMessage(error, "Impossible de confirmer");
}
