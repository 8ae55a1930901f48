import type { LoginAnswer } from "@paraphe/contracts";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { callMessage } from "../../lib/api/api-error.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { canOfferPasskeys, cancelPasskeys, isCancelled, logInWithPasskey } from "./passkeys.ts";
import styles from "./auth-layout.module.css";

type Props = {
  readonly remember: () => boolean;
  readonly onEnter: (answer: LoginAnswer) => void;
};

const CANCELLED =
  "Aucune clé d’accès n’a répondu. Réessayez, ou connectez-vous avec votre mot de passe.";

/** The button, and the passkeys that the browser offers in the list of names. */
export function PasskeyLogin({ remember, onEnter }: Props) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ readonly tone: "warning" | "danger"; text: string }>();
  const isOffering = useOffer({ remember, onEnter });

  const press = async () => {
    isOffering.current = false;
    setBusy(true);
    setFailure(undefined);
    try {
      onEnter(await logInWithPasskey({ remember: remember() }));
    } catch (error) {
      setFailure(
        isCancelled(error)
          ? { tone: "warning", text: CANCELLED }
          : { tone: "danger", text: callMessage(error, "Impossible de se connecter") },
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {failure && <Alert tone={failure.tone}>{failure.text}</Alert>}
      <div className="stack stack--sm">
        <Button
          size="lg"
          block
          loading={busy}
          loadingLabel="Répondez à votre appareil…"
          onClick={() => void press()}
        >
          <Icon name="key" />
          Se connecter avec une clé d’accès
        </Button>
        {busy && (
          <p className="ink2 small" role="status">
            Votre appareil vous demande votre visage, votre empreinte ou votre code.
          </p>
        )}
      </div>
      <div className={styles["divider"]}>ou avec votre mot de passe</div>
    </>
  );
}

/** Offers passkeys in the list of names while the page is there. False ends what has not begun. */
function useOffer({ remember, onEnter }: Props) {
  // A page that is left, or a pressed button, ends an offer that has not begun.
  const isOffering = useRef(true);
  const offer = useEffectEvent(async () => {
    try {
      if (!(await canOfferPasskeys())) return;
      onEnter(
        await logInWithPasskey({
          offered: true,
          remember: remember(),
          isWanted: () => isOffering.current,
        }),
      );
    } catch (error) {
      // Nobody asked for it: the page works without.
      if (!isCancelled(error)) console.warn("passkeys could not be offered", error);
    }
  });
  useEffect(() => {
    isOffering.current = true;
    void offer();
    return () => {
      isOffering.current = false;
      void cancelPasskeys().catch(() => undefined);
    };
  }, []);
  return isOffering;
}
