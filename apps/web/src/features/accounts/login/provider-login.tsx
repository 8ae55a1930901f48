import type { OfferedProvider, ProviderKind } from "@paraphe/contracts";
import { useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { classNames } from "../../../lib/class-names.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import styles from "../auth-layout.module.css";
import { goToProvider } from "./provider-calls.ts";

const BUILDING = "M5 21V4h9v17M14 9h5v12M3 21h18M8 8h3M8 12h3M8 16h3";

type Away = { readonly kind: ProviderKind; readonly message: string };

/** `away`: the provider that does not answer. */
export function useProviderLogin(leaving: { readonly remember: () => boolean; from: string }) {
  const [busy, setBusy] = useState<ProviderKind>();
  const [away, setAway] = useState<Away>();
  const [failure, setFailure] = useState<string>();
  const go = async (kind: ProviderKind) => {
    setBusy(kind);
    setFailure(undefined);
    try {
      await goToProvider(kind, { remember: leaving.remember(), from: leaving.from });
    } catch (error) {
      const message = callMessage(error, "Impossible de se connecter");
      if (error instanceof ApiError && error.code === "provider_unavailable")
        setAway({ kind, message });
      else setFailure(message);
      setBusy(undefined);
    }
  };
  return { busy, away, failure, go, showOthers: () => setAway(undefined) };
}

type Props = Pick<ReturnType<typeof useProviderLogin>, "busy" | "failure" | "go"> & {
  readonly providers: readonly OfferedProvider[];
};

export function ProviderButtons({ providers, busy, failure, go }: Props) {
  const own = providers.find(({ kind }) => kind === "oidc");
  const hasProConnect = providers.some(({ kind }) => kind === "proconnect");
  return (
    <>
      <div className={styles["divider"]}>ou avec un autre compte</div>
      {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
      <div className="stack stack--sm">
        {own && (
          <Button size="lg" block loading={busy === "oidc"} onClick={() => void go("oidc")}>
            <Icon name={BUILDING} size="sm" />
            {own.label}
          </Button>
        )}
        {hasProConnect && (
          <div>
            <button
              type="button"
              className={styles["proconnect"]}
              aria-disabled={busy === "proconnect" || undefined}
              onClick={() => void (busy === "proconnect" ? undefined : go("proconnect"))}
            >
              S’identifier avec <b>ProConnect</b>
            </button>
            <p className={classNames(styles["about"], "small")}>
              <a
                href="https://www.proconnect.gouv.fr/"
                target="_blank"
                rel="noopener external"
                title="Qu’est-ce que ProConnect ? - nouvelle fenêtre"
              >
                Qu’est-ce que ProConnect ?
              </a>
            </p>
          </div>
        )}
      </div>
    </>
  );
}

type AwayProps = {
  readonly message: string;
  readonly busy: boolean;
  readonly onRetry: () => void;
  readonly onOthers: () => void;
};

export function ProviderAway({ message, busy, onRetry, onOthers }: AwayProps) {
  return (
    <>
      <div role="alert">
        <PageHeading title="Connexion impossible">Connexion impossible pour l’instant</PageHeading>
        <p className="lede">{message}</p>
      </div>
      <Button variant="primary" size="lg" block loading={busy} onClick={onRetry}>
        Réessayer
      </Button>
      <Button size="lg" block onClick={onOthers}>
        Autres moyens de connexion
      </Button>
    </>
  );
}
